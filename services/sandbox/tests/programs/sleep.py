"""Waits for ever, and goes when asked to."""
import time

print("ready", flush=True)
time.sleep(600)
