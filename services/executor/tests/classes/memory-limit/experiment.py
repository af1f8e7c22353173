import time


def run(config, recorder):
    kept = []
    while True:
        kept.append(bytearray(b"x") * (8 << 20))
        time.sleep(0.01)
