import os
import time


def run(config, recorder):
    for number in range(60):
        with open(os.path.join(os.environ["INTERLOCK_OUT"], f"{number}.bin"), "wb") as file:
            file.write(b"x" * (1 << 20))
        time.sleep(0.05)
    time.sleep(30)
