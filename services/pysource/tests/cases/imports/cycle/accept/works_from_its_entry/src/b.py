import a

g = 2


def use():
    return a.f
