"""More temporary files than anybody wants, all of them empty: their number is what hurts."""
import os
import tempfile
import time

folder = tempfile.mkdtemp()
for number in range(3000):
    os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY))
time.sleep(60)
