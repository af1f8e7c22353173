"""Says something, then waits for ever while waking up now and then, as a deadlocked program with a timer does."""
import time

print("begun", flush=True)
while True:
    time.sleep(0.05)
