"""Measures shapes."""

import shapes
from shapes import Circle, Point, Rectangle, Square, area_of_all
from shapes.util import largest


def main() -> None:
    origin = Point(0.0)
    square = Square(Point(1.0, 2.0), 3.0)
    box = Rectangle(origin, 4.0, height=2.0)
    unit = Circle.unit()
    assert Circle.is_valid(unit.radius)
    assert unit.contains(Point(0.5, y=0.5))
    assert not unit.moved(Point(5.0)).contains(origin)
    assert unit.moved(by=Point(5.0)).center.x == 5.0
    assert area_of_all([square, box]) == 17.0
    assert largest([square, box]) is square
    assert largest([], default=box) is box
    assert box.opposite == Point(4.0, 2.0)
    assert box.ratio == 2.0
    assert box.scaled(2.0).area() == 32.0
    assert box.scaled(factor=0.5).width == 2.0
    assert square.describe() == "4 sides of 3 at 1"
    assert isinstance(unit, shapes.Shape)
    assert origin.distance(Point(3.0, 4.0)) == 5.0
    assert 3.1 < shapes.Circle(origin, radius=1.0).area() < 3.2


if __name__ == "__main__":
    main()
