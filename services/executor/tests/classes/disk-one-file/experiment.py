import os


def run(config, recorder):
    with open(os.path.join(os.environ["INTERLOCK_OUT"], "big.bin"), "wb") as file:
        file.write(bytes(3 << 20))
