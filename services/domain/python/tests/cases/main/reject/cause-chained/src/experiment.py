def run(config, recorder):
    try:
        __import__("nowhere.at.all")
    except ImportError as error:
        raise RuntimeError("it takes nowhere to run this") from error
