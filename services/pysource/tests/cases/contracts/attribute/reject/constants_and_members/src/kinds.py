import enum


class Color(enum.Enum):
    RED = 1


class Mode(str, enum.Enum):
    FAST = "fast"


class Config:
    LR = 0.1

    class Paths:
        DATA = "data"


class Child(Config):
    DEPTH = 1
