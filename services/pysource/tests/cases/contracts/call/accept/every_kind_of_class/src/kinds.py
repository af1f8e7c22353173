from __future__ import annotations

import dataclasses
import enum
import functools
import typing as t
from collections import namedtuple
from contextlib import contextmanager
from dataclasses import InitVar, dataclass, field as part

T = t.TypeVar("T")


class Color(enum.Enum):
    RED = 1


class Mode(str, enum.Enum):
    FAST = "fast"


class Point(t.NamedTuple):
    x: int
    y: int = 0


class Options(t.TypedDict, total=False):
    lr: float


Pair = namedtuple("Pair", "a b")


class Box(t.Generic[T]):
    def __init__(self, value: T):
        self.value = value


class Problem(Exception):
    pass


class Coded(Problem):
    def __init__(self, code, *details):
        super().__init__(code, *details)


@dataclass
class Config:
    lr: float = 0.1
    scale: InitVar[int] = 2
    names: list[str] = part(default_factory=list)
    total: int = part(init=False, default=0)

    def __post_init__(self, scale):
        self.total = scale


@dataclass(init=False)
class Own:
    a: int

    def __init__(self, b, c):
        self.a = b + c


@dataclasses.dataclass(order=True, slots=True)
class Child(Config):
    depth: int = 1


class Plain(Config):
    def more(self):
        return Plain(0.2, 1, [])


class Wrapped:
    def __new__(cls, *args):
        return object.__new__(cls)


class Counter:
    def __call__(self, *args):
        return args

    @property
    def action(self):
        return lambda *args: args

    @functools.cached_property
    def other(self):
        return print

    def choose(self, a):
        return a

    chosen = choose
    choose = print


class Registry(type):
    def __call__(cls, *args):
        return super().__call__()


class Registered(metaclass=Registry):
    pass


class Hooked:
    def __init_subclass__(cls, **options):
        cls.options = options


class WithOptions(Hooked, name="x"):
    pass


@functools.singledispatch
def show(value):
    return value


@contextmanager
def opened(path, mode="r"):
    yield path


@functools.lru_cache(maxsize=None)
def cached(a, b=1):
    return a


async def later(a):
    return a
