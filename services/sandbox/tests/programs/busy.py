"""Silent for two seconds, but working."""
import time

end = time.monotonic() + 2
while time.monotonic() < end:
    pass
print("done")
