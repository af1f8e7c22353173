"""Two gigabytes of files, all there at the same time."""
import os

for number in range(8):
    with open(f"file{number}", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, 256 << 20)
        file.write(b"begin")
assert sum(os.stat(f"file{n}").st_blocks * 512 for n in range(8)) >= 2 << 30
print("good")
