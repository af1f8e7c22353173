import threading


class Base:
    def __init__(self, size=1, **options):
        super().__init__(**options)
        self.size = size

    def fit(self, rows):
        return rows

    @classmethod
    def load(cls, path):
        return cls(path)


class Other(Base):
    def fit(self, rows, epochs):
        return rows, epochs


class First(Base):
    def fit(self, rows, *rest):
        return super().fit(rows, *rest)


class Both(First, Other):
    def fit(self, rows):
        return super().fit(rows, 1)


class Model(Base):
    def __init__(self, size):
        super().__init__(size, name="x")

    @classmethod
    def load(cls, path):
        return super().load(path)

    def all(self, rows):
        return [super(Model, self).fit(row) for row in rows]


class Worker(threading.Thread):
    def __init__(self):
        super().__init__(name="x", daemon=True)
