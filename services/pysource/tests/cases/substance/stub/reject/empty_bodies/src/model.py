import functools


def a():
    pass


def b(x):
    """Builds."""


def c(x): ...


def d():
    raise NotImplementedError


def e():
    """Later."""
    raise NotImplementedError("later")


async def f():
    pass


@functools.lru_cache
def g():
    ...


class Trainer:
    def fit(self):
        pass

    def predict(self, x):
        raise NotImplementedError()

    @property
    def size(self): ...

    @staticmethod
    def load(path):
        pass


def h():
    raise Exception("not implemented yet")


def i():
    print("training")
    raise NotImplementedError
