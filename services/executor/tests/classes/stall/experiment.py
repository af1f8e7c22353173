import time


def run(config, recorder):
    time.sleep(60)
