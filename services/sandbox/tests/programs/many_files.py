"""More files than anybody wants."""
import time

for number in range(3000):
    open(f"file-{number}", "w").close()
time.sleep(60)
