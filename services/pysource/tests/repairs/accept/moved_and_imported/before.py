def f(x):
    return x + 1


class Table:
    def rows(self):
        return [1]
