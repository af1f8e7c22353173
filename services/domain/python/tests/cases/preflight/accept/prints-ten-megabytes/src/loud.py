import os
import sys

for _ in range(160):
    print("x" * 65_536)
    sys.stderr.write("y" * 65_536)
os.write(1, b"z" * 1_000_000)
