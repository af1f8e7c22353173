import os
import sys


def _sample():
    pass


FunctionType = type(_sample)
del _sample

if hasattr(os, "fork"):

    def lock_down():
        os.fork()

else:

    def lock_down():
        pass


if sys.platform == "win32":

    def set_nice():
        pass


try:
    from numpy import allclose
except ImportError:

    def allclose(a, b):
        raise NotImplementedError


class Stream:
    def read(self):
        return b"x"

    def seek(self, to):
        return to


class Forward(Stream):
    def read(self):
        raise NotImplementedError

    def seek(self, to):
        raise NotImplementedError


class Only:
    def seek(self, to):
        raise NotImplementedError("seek() is not supported; use read() instead")

    def extend(self):
        """Does nothing. Subclasses override it."""

    def golden(self):
        # TODO: more digits
        return "1.618"
