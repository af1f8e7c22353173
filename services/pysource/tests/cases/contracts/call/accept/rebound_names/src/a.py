import m
from m import f, g

if m:
    f = print


def run(f):
    return f(1, 2, 3)


def other():
    m = object
    return m.f(1, 2)


g(1, 2, 3)
f(1, 2, 3)


def loop():
    for f in [print]:
        f(1, 2)
