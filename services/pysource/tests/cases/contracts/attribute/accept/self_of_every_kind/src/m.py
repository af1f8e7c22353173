import threading
from collections import UserDict


class Base:
    def run(self):
        return self.prepare() + self.size


class Child(Base):
    size = 1

    def prepare(self):
        return 1


class Mixin:
    def shown(self):
        return f"{self.name}"


class Named(Mixin):
    def __init__(self, name):
        self.name = name


class Worker(threading.Thread):
    def run(self):
        return self.name, self.ident


class Table(UserDict):
    def first(self):
        return list(self.data)[:1]


class Lazy:
    def load(self):
        if not hasattr(self, "_cache"):
            self._cache = 1
        return self._cache

    def kind(self):
        return self.__class__.__name__, self.__dict__, self.__doc__


class Tupled:
    def __init__(self, pair):
        self.left, (self.right, *self.rest) = pair
        with open(__file__) as self.handle:
            pass
        for self.at in range(2):
            pass
        self.count: int = 0
        self.total = self.sum = 1
        self.total += 1

    def all(self):
        return self.left, self.right, self.rest, self.handle, self.at, self.count, self.total, self.sum


class Nested:
    def outer(self):
        def inner(this=self):
            this.late = 1
            return self.late

        return inner()


class Filled:
    def fill(self, values):
        vars(self).update(values)
        return self.filled


class Meta(type):
    @property
    def tag(cls):
        return "tag"


class Tagged(metaclass=Meta):
    pass


print(Child().run(), Named("x").shown(), Lazy().load(), Lazy().kind(), Nested().outer(), Filled().fill({"filled": 1}))
print(Tupled((1, (2, 3))).all(), Table({"a": 1}).first(), Worker().run(), Tagged.tag)
