__all__ = ["a", "b", "VERSION"]
VERSION = 1
