"""A fork bomb that ignores refusals. Its fuse is a pipe with 200 bytes in it, one for each fork: a sandbox that fails
here does not take the machine with it."""
import os
import time

fuse, full = os.pipe()
os.write(full, b"x" * 200)
os.close(full)
while os.read(fuse, 1):
    try:
        os.fork()
    except OSError:
        pass
time.sleep(60)
