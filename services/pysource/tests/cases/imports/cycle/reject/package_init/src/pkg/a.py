from pkg import VERSION


def f():
    return VERSION
