from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Limits:
    steps: int


@dataclass
class Config:
    limits: Limits
    name: str = ""


class Model:
    def __init__(self, size: int) -> None:
        self.size = size

    def step(self, rate: float) -> float:
        return rate * self.size

    def config(self) -> Config:
        return Config(Limits(self.size))


class Deep(Model):
    layers = 2
