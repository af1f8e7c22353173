import a


class Y(a.X):
    other = 1
