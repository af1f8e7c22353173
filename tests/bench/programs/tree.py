"""A tree of 64 processes that sleep; with the word `stubborn` they do not listen to SIGTERM. Says when it stands."""

import os
import signal
import sys
import time

if "stubborn" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(63):
    if os.fork() == 0:
        time.sleep(600)
        os._exit(0)
print("ready", flush=True)
with open(os.path.join(os.environ["OUT"], "ready"), "w"):
    time.sleep(600)
