from dataclasses import dataclass, field
from enum import Enum

import pandas as pd


class Meta(type):
    def __call__(cls, *args, **kwargs):
        return super().__call__()


class WithMeta(metaclass=Meta):
    def __init__(self):
        self.a = 1


class WithNew:
    def __new__(cls, *args):
        return super().__new__(cls)

    def __init__(self, *args):
        self.b = args


class Color(Enum):
    RED = 1


class Frame(pd.DataFrame):
    def __init__(self, a):
        super().__init__(a)


class Frameless(pd.DataFrame):
    pass


class Problem(ValueError):
    pass


OPTIONS = {"init": False}


@dataclass
class Computed:
    a: int = field(**OPTIONS)


def register(cls):
    return cls


@register
class Registered:
    def __init__(self, a):
        self.a = a


class Either:
    if OPTIONS:

        def __init__(self, a):
            self.a = a

    else:

        def __init__(self, a, b):
            self.a = a
