"""Four processes of 200 MB each: each alone is well below the limit."""
import os
import time

for _ in range(3):
    if os.fork() == 0:
        break
held = bytearray(b"x") * (200 << 20)
time.sleep(600)
