"""What the program is told."""

from dataclasses import dataclass


@dataclass
class Config:
    """Settings of a run."""

    rate: float = 0.1
    name: str = "small"


def load(values, strict=False):
    """Settings from a mapping."""
    if strict and "rate" not in values:
        raise ValueError("rate is missing")
    return Config(rate=values.get("rate", 0.1))
