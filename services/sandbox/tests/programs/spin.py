"""Two processes that only compute: neither reaches the limit alone as fast as both together."""
import os

os.fork()
while True:
    pass
