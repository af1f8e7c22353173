"""Starts 800 threads at most. Refused one, says how many there were; refused none, waits for somebody to notice."""
import threading
import time

stay, started = threading.Event(), 0
try:
    for _ in range(800):
        threading.Thread(target=stay.wait, daemon=True).start()
        started += 1
    time.sleep(60)
except RuntimeError:
    pass
print(started, flush=True)
