import enum
from dataclasses import dataclass


class Color(enum.Enum):
    RED = 1
    BLUE = 2

    @classmethod
    def first(cls):
        return cls.RED


class Size(str, enum.Enum):
    BIG = "big"


class Flags(enum.Flag):
    A = enum.auto()
    B = enum.auto()


Made = enum.Enum("Made", "ONE TWO")


class Settings:
    LR = 0.1

    @classmethod
    def load(cls):
        cls.LOADED = True
        return cls

    def set(self):
        self.value = 1


Settings.LATE = 3


@dataclass
class Config:
    lr: float = 0.1
    name: str = "x"


class Child(Settings):
    DEPTH = 1
