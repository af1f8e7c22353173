"""Output that is no text."""
import os

os.write(1, b"good \xff\xfe\x00 bad\n")
