"""Over many shapes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shapes.core import Shape


def total_area(shapes: Iterable[Shape]) -> float:
    return sum(shape.area() for shape in shapes)


def largest(shapes: Iterable[Shape], default: Shape | None = None) -> Shape | None:
    return max(shapes, key=lambda shape: shape.area(), default=default)
