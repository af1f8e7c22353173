"""Waits for ever, and says good-bye when asked to end."""
import signal
import sys
import time


def bye(*_):
    print("bye", flush=True)
    sys.exit(0)


signal.signal(signal.SIGTERM, bye)
print("ready", flush=True)
while True:
    time.sleep(1)
