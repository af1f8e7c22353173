"""Points, and what every shape has."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass
class Point:
    """A place."""

    x: float
    y: float = 0.0

    def distance(self, other: Point) -> float:
        return math.hypot(self.x - other.x, self.y - other.y)

    def __add__(self, other: Point) -> Point:
        return Point(self.x + other.x, self.y + other.y)


@runtime_checkable
class Shape(Protocol):
    """Anything with an area."""

    def area(self) -> float: ...
