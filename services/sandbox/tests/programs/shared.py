"""Eight processes that share 200 MB: together far below what eight times 200 MB would be."""
import os
import time

held = bytearray(os.urandom(1) * (200 << 20))
children = []
for _ in range(7):
    child = os.fork()
    if child == 0:
        time.sleep(1)
        os._exit(0)
    children.append(child)
for child in children:
    os.waitpid(child, 0)
