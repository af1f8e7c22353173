import os
import sys
import threading
import time

sys.stdout.write("x" * 10_000_000)
threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
if os.fork() == 0:
    time.sleep(3600)
