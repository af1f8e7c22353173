def run(config, recorder):
    return None
