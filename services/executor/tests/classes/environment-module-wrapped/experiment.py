def run(config, recorder):
    try:
        import lightgbm
    except ImportError as error:
        raise RuntimeError("this needs lightgbm") from error
    return lightgbm.__version__
