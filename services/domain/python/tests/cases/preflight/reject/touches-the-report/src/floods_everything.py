import os

for number in range(3, 100):
    try:
        while True:
            os.write(number, b"x" * 65_536)
    except OSError:
        continue
