def run(config, recorder):
    try:
        __import__("nowhere")
    except ImportError:
        raise ValueError("so I give up")  # noqa: B904
