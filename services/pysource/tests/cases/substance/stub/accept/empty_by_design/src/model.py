import abc
import typing as t
from abc import ABC, abstractmethod
from typing import Protocol, overload


class Shape(ABC):
    @abstractmethod
    def area(self): ...

    @property
    @abc.abstractmethod
    def name(self):
        raise NotImplementedError

    def prepare(self):
        pass


class Sized(Protocol):
    size: int

    def grow(self, by: int) -> int: ...


class Typed(t.Protocol[t.Any]):
    def run(self) -> None:
        """Runs."""


@overload
def load(path: str) -> str: ...
@t.overload
def load(path: bytes) -> bytes: ...
def load(path):
    return path


class ModelError(Exception):
    """Something is wrong with the model."""


class DataError(ModelError):
    pass


class BaseTrainer:
    def step(self):
        raise NotImplementedError


class Template:
    def fill(self):
        raise NotImplementedError


class Filled(Template):
    def fill(self):
        return 1


class Quiet(BaseTrainer):
    def step(self):
        pass


class Resource:
    def __init__(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *args):
        pass

    def close(self):
        pass


def noop(*args):
    pass


def register(fn):
    return fn


@register
def handler():
    """Decorated by something that may fill it."""


def choose(kind):
    if kind == "a":
        return 1
    raise NotImplementedError(f"kind {kind}")


def work(items):
    # TODO: make this faster
    return sorted(items)


def outer():
    def callback(*args):
        pass

    return callback


if t.TYPE_CHECKING:

    def hint() -> int: ...


class _Missing:
    pass
