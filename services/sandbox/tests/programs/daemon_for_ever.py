"""A parent, a child and a daemon, none of which listens, all of which stay."""
import os
import signal
import time

for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    os.fork()
while True:
    time.sleep(1)
