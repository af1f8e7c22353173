from dataclasses import dataclass


class Pair:
    __slots__ = ("left", "right")

    def __init__(self, left, right):
        self.left = left
        self.right = right


class Wide(Pair):
    __slots__ = ["depth"]


@dataclass(slots=True)
class Config:
    lr: float = 0.1
