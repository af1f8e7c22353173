__all__ = ["f", "gone"]
__all__ += ["also_gone"]


def f():
    return 1
