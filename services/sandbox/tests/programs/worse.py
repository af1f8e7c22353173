"""Starts to fork when it is asked to end: 100 times, and no more."""
import os
import signal
import time


def worse(*_):
    fuse, full = os.pipe()
    os.write(full, b"x" * 100)
    os.close(full)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while os.read(fuse, 1):
        os.fork()


signal.signal(signal.SIGTERM, worse)
print("ready", flush=True)
end = time.monotonic() + 60
while time.monotonic() < end:
    time.sleep(1)
