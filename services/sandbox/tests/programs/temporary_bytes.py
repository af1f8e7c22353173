"""Fills the place for temporary files."""
import os
import tempfile

folder = tempfile.mkdtemp()
for number in range(30):
    with open(f"{folder}/{number}", "wb") as file:
        file.write(os.urandom(8 << 20))
        file.flush()
        os.fsync(file.fileno())
