import os
import signal


def run(config, recorder):
    # What the kernel sends for a call of another architecture.
    os.kill(os.getpid(), signal.SIGSYS)
