def run(config, recorder):
    while True:
        pass
