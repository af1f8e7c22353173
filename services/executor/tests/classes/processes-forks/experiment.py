import os
import time


def run(config, recorder):
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
    time.sleep(30)
