"""Has a secret in a file of its own folder and on its command line, says which process it is, and stays."""
import os
import time

with open("secret", "w") as file:
    file.write("secret")
with open("started", "w") as file:
    file.write(str(os.getpid()))
os.rename("started", "ready")
time.sleep(600)
