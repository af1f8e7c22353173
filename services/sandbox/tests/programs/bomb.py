"""A fork bomb that ignores refusals. Its fuse is the length of a file: after 1500 forks it only waits, so that a sandbox
that fails here does not take the machine with it."""
import os
import time

fuse = os.open("fuse", os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
while os.fstat(fuse).st_size < 1500:
    os.write(fuse, b"x")
    try:
        os.fork()
    except OSError:
        pass
time.sleep(600)
