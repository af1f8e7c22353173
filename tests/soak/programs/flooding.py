"""Writes without end to both streams."""

import os

block = b"\xff" * (1 << 16)
while True:
    os.write(1, block)
    os.write(2, block)
