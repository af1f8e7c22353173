"""Shapes, and what is known about them."""

from shapes.circle import Circle
from shapes.core import Point, Shape
from shapes.polygon import Rectangle, Square
from shapes.util import total_area as area_of_all

__all__ = ["Circle", "Point", "Rectangle", "Shape", "Square", "area_of_all"]
