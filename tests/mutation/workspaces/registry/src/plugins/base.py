"""The list of transforms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

_REGISTRY: dict[str, type[Transform]] = {}


class Transform(ABC):
    """Makes text of text."""

    def __init__(self, *, times: int = 1) -> None:
        self.times = times

    @abstractmethod
    def once(self, text: str) -> str:
        """One round."""

    def apply(self, text: str) -> str:
        for _ in range(self.times):
            text = self.once(text)
        return text


def register(name: str) -> Callable[[type[Transform]], type[Transform]]:
    """Adds a class under a name."""

    def add(cls: type[Transform]) -> type[Transform]:
        if name in _REGISTRY:
            raise KeyError(f"{name} is there already")
        _REGISTRY[name] = cls
        return cls

    return add


def create(name: str, **options: object) -> Transform:
    """A transform by its name."""
    return _REGISTRY[name](**options)


def available() -> list[str]:
    """All names, sorted."""
    return sorted(_REGISTRY)
