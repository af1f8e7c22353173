"""A file that every check has to pass."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Point:
    """The annotations are text here, so the class needs its real module to be made."""

    x: float = 0.5


def double(point: Point) -> float:
    return point.x * 2
