def run(config, recorder):
    raise ValueError("bad shape")
