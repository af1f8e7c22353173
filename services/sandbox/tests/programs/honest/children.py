"""Starts its own Python and a shell, and reads what they say."""
import os
import subprocess
import sys

code = "import sys; print(sys.stdin.read().upper()); sys.exit(3)"
child = subprocess.run([sys.executable, "-I", "-c", code], input="text", capture_output=True, text=True)
assert (child.returncode, child.stdout) == (3, "TEXT\n"), child
shell = subprocess.run("echo $((6 * 7)) | cat", shell=True, capture_output=True, text=True)
assert shell.stdout == "42\n", shell
running = subprocess.Popen([sys.executable, "-I", "-c", "import time; time.sleep(60)"])
running.terminate()
assert running.wait(30) == -15
assert os.cpu_count() >= 1
print("good")
