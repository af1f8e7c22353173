def start(config, recorder):
    return None
