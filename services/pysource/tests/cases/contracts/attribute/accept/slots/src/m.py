NAMES = ("left", "right")


class Pair:
    __slots__ = NAMES

    def __init__(self, left, right):
        for name, value in zip(NAMES, (left, right)):
            setattr(self, name, value)


class Open:
    __slots__ = ("a", "__dict__")


class Listed:
    __slots__ = ["a", "b"]


class Weak(Listed):
    __slots__ = {"c": "the third", "d": "the fourth"}
