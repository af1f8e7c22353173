from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from typing import ClassVar


class Mixin:
    def helper(self):
        return 1


@dataclass
class Base(Mixin):
    a: int = 1
    KIND: ClassVar[str] = "x"


@dataclass
class Spec(Base):
    b: int = 2
    scale: InitVar[int] = 3
    names: list[str] = field(default_factory=list)
    other = 5

    def __post_init__(self, scale):
        self.c = scale
        (self.d, self.e) = 1, 2
        setattr(self, "f", 3)
        object.__setattr__(self, "g", 4)
        for self.h in range(3):
            pass

    @property
    def area(self):
        return self.a

    @classmethod
    def load(cls):
        return cls()

    class Inner:
        x = 1


class Slotted:
    __slots__ = ("u", "v")
