from pkg import b


def f():
    return b.g
