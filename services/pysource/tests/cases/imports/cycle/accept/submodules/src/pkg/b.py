import pkg


def g():
    return pkg.f
