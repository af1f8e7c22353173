"""Eight processes that wait for each other, and then take 300 MB each as fast as they can."""

import os
import time

start = time.monotonic() + 1
for _ in range(7):
    if os.fork() == 0:
        break
while time.monotonic() < start:
    time.sleep(0.001)
held = bytearray(300 << 20)
time.sleep(600)
