"""Writes for ever."""
import os

line = b"x" * 65536
while True:
    os.write(1, line)
