import os

for number in range(3, 100):
    try:
        os.write(number, b"[]")
    except OSError:
        continue
