"""Thirty files, each within the size limit of one file."""
import os

for number in range(30):
    with open(f"big-{number}", "wb") as file:
        file.write(os.urandom(8 << 20))
