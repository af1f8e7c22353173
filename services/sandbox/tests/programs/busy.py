"""Silent for a second and a half, but working."""
import time

end = time.monotonic() + 1.5
while time.monotonic() < end:
    pass
print("done")
