__all__ = ["f"]


def f():
    return 1


def hidden():
    return 2


_private = 3
