"""Shapes with corners."""

from __future__ import annotations

from functools import cached_property

from shapes.core import Point


class Rectangle:
    """Four right angles."""

    sides = 4

    def __init__(self, corner: Point, width: float, height: float) -> None:
        self.corner = corner
        self.width = width
        self.height = height

    @cached_property
    def opposite(self) -> Point:
        return self.corner + Point(self.width, self.height)

    @property
    def ratio(self) -> float:
        return self.width / self.height

    def area(self) -> float:
        return self.width * self.height

    def scaled(self, factor: float) -> Rectangle:
        return Rectangle(self.corner, self.width * factor, height=self.height * factor)


class Square(Rectangle):
    """All sides alike."""

    def __init__(self, corner: Point, width: float) -> None:
        super().__init__(corner, width, width)

    def describe(self) -> str:
        return f"{self.sides} sides of {self.width:g} at {self.corner.x:g}"
