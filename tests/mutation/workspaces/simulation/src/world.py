"""All bodies together."""

from __future__ import annotations

from collections.abc import Callable

from bodies import Ball, Body, Vector
from settings import SETTINGS, Settings

Observer = Callable[["World", int], None]


class World:
    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or SETTINGS
        self.bodies: list[Body] = []
        self._observers: list[Observer] = []

    def add(self, body: Body) -> Body:
        self.bodies.append(body)
        return body

    def watch(self, observer: Observer) -> None:
        self._observers.append(observer)

    def run(self) -> int:
        for number in range(self.settings.steps):
            for body in self.bodies:
                body.advance(self.settings.physics, self.settings.step)
            for observer in self._observers:
                observer(self, number)
        return self.settings.steps

    @staticmethod
    def ball(height: float, **options: float) -> Ball:
        return Ball(1.0, Vector(y=height), **options)
