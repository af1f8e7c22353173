"""Writes one file after the other, and makes its folder hard to remove."""

import os

out = os.environ["OUT"]
os.mkdir(os.path.join(out, "locked"))
os.symlink("/", os.path.join(out, "locked", "root"))
os.chmod(os.path.join(out, "locked"), 0)
number = 0
while True:
    number += 1
    with open(os.path.join(out, str(number)), "wb") as file:
        file.write(bytes(4 << 20))
