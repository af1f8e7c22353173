def run(config, recorder):
    return run(config, recorder)
