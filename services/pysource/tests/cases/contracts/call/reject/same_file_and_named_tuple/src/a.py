from typing import NamedTuple


class Point(NamedTuple):
    x: int
    y: int = 0


def f(a):
    return a


def main():
    return f(1, 2), Point(), Point(1, 2, 3), Point(1)


main(1)
