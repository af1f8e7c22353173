"""Leaves a daemon behind that has cut every tie, ignores signals, and holds both output streams open."""
import os
import signal
import sys
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        print("daemon here", flush=True)
        while True:
            time.sleep(1)
    os._exit(0)
os.wait()
time.sleep(0.2)
print("main leaves", flush=True)
sys.exit(7)
