from dataclasses import dataclass, field
from types import SimpleNamespace


@dataclass
class Dynamic:
    a: int = 1

    def __getattr__(self, name):
        return name


@dataclass
class Loader:
    a: int = 1

    def update(self, values):
        for key, value in values.items():
            setattr(self, key, value)


@dataclass
class Mapped:
    a: int = 1

    def update(self, values):
        self.__dict__.update(values)


class Child(SimpleNamespace):
    x = 1


def make(cls):
    cls.extra = 1
    return cls


@make
class Made:
    y = 1
