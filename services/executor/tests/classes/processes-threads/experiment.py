import threading
import time


def run(config, recorder):
    for _ in range(20_000):
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
