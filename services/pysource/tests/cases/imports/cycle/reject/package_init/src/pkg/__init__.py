from .a import f

VERSION = "1"
