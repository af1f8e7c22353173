import os
import socket


def run(config, recorder):
    # Everything that is missing or refused, by a program that can do without.
    refused = []
    for attempt in (
        lambda: __import__("pandas"),
        lambda: socket.create_connection(("192.0.2.1", 80), timeout=5),
        lambda: open("/usr/lib/planted.py", "w"),
        lambda: open(os.path.join(os.environ["INTERLOCK_INPUTS"], "labels.csv")),
        lambda: bytearray(1 << 46),
        lambda: socket.sethostname("mine"),
    ):
        try:
            attempt()
        except (ImportError, OSError, MemoryError) as error:
            refused.append(type(error).__name__)
    return refused
