from dataclasses import dataclass


@dataclass
class Spec:
    a: int = 1


@dataclass
class Loose:
    a: int = 1


def override(thing, values):
    for key, value in values.items():
        setattr(thing, key, value)
