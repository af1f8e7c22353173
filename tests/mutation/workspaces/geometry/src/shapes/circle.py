"""Round shapes."""

from __future__ import annotations

import math

from shapes.core import Point


class Circle:
    """All points at one distance."""

    __slots__ = ("center", "radius")

    def __init__(self, center: Point, radius: float) -> None:
        self.center = center
        self.radius = radius

    @classmethod
    def unit(cls) -> Circle:
        return cls(Point(0.0), 1.0)

    @staticmethod
    def is_valid(radius: float) -> bool:
        return radius > 0

    def area(self) -> float:
        return math.pi * self.radius**2

    def contains(self, point: Point) -> bool:
        return self.center.distance(point) <= self.radius

    def moved(self, by: Point) -> Circle:
        return Circle(self.center + by, radius=self.radius)
