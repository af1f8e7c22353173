"""Does not listen to SIGTERM, and never ends."""

import signal
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    time.sleep(60)
