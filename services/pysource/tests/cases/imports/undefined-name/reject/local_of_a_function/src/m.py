def f():
    g = 1

    def h():
        return g

    return h
