import os
import signal


def run(config, recorder):
    os.kill(os.getpid(), signal.SIGKILL)
