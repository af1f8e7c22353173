import sys
from typing import overload

if len(sys.argv) > 1:

    def train():
        pass

else:

    def train():
        ...


@overload
def load(path: str) -> str: ...
@overload
def load(path: bytes) -> bytes: ...
def load(path):
    raise NotImplementedError


def build():
    return 1


def build():
    pass


class Model:
    @property
    def size(self):
        pass

    @size.setter
    def size(self, value):
        self._size = value

    @staticmethod
    def make(path):
        raise NotImplementedError("not supported yet")
