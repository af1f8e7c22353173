import enum
import socket

enum.IntEnum._convert_("Family", __name__, lambda name: name.startswith("AF_"), source=socket)
