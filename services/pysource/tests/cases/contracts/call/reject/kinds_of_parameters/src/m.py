def f(a, /, b, *, c, d=1):
    return a, b, c, d


def g(a, b=1, *rest, key, **more):
    return a, b, rest, key, more
