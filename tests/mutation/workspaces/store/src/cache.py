"""Remembers results."""

import functools
from collections.abc import Callable
from typing import Any


class Statistics:
    hits: int = 0
    misses: int = 0

    @property
    def rate(self) -> float:
        total = self.hits + self.misses
        return self.hits / total if total else 0.0


def remembered(function: Callable[..., Any]) -> Callable[..., Any]:
    known: dict[Any, Any] = {}
    statistics = Statistics()

    @functools.wraps(function)
    def wrapper(*args: Any) -> Any:
        if args in known:
            statistics.hits += 1
        else:
            statistics.misses += 1
            known[args] = function(*args)
        return known[args]

    wrapper.statistics = statistics
    return wrapper


@remembered
def square(number: int) -> int:
    return number * number
