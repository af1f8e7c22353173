"""A folder so deep that its path has no name any more, and one that nobody may read."""
import os

for _ in range(3000):
    os.mkdir("d" * 100)
    os.chdir("d" * 100)
