import contextlib
import functools
from functools import cache, wraps


def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        print(function.__name__)
        return function(*args, **kwargs)

    return wrapper


def repeated(times):
    def decorate(function):
        @wraps(function)
        def wrapper(*args, **kwargs):
            for _ in range(times):
                result = function(*args, **kwargs)
            return result

        return wrapper

    return decorate


def remembered(function):
    known: dict = {}

    @functools.wraps(function)
    def wrapper(*args):
        if args not in known:
            known[args] = function(*args)
        return known[args]

    wrapper.known = known
    return wrapper


@remembered
def square(number):
    return number * number


@timed
def fit(data, epochs=3):
    return data, epochs


@repeated(3)
def read(path):
    return path


@cache
def load(path):
    return path


@functools.lru_cache(maxsize=None)
def split(data, share):
    return data, share


@contextlib.contextmanager
def opened(path):
    yield path


class Tools:
    @staticmethod
    def scale(value, by):
        return value * by

    @classmethod
    def make(cls, name):
        return cls()

    @timed
    def run(self, steps):
        return steps

    @cache
    def cached(self, a):
        return a
