"""Measures of how good predictions are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

Metric = Callable[[Sequence[float], Sequence[float]], float]


def _paired(truth: Sequence[float], guess: Sequence[float]) -> list[tuple[float, float]]:
    if len(truth) != len(guess):
        raise ValueError("as many guesses as truths are needed")
    return list(zip(truth, guess))


def power_error(truth: Sequence[float], guess: Sequence[float], *, power: float) -> float:
    pairs = _paired(truth, guess)
    return sum(abs(t - g) ** power for t, g in pairs) / len(pairs)


mean_absolute = partial(power_error, power=1)
mean_squared = partial(power_error, power=2)


def root_mean_squared(truth: Sequence[float], guess: Sequence[float]) -> float:
    return math.sqrt(mean_squared(truth, guess))


def within(tolerance: float) -> Metric:
    def share(truth: Sequence[float], guess: Sequence[float]) -> float:
        hits = [abs(t - g) <= tolerance for t, g in _paired(truth, guess)]
        return sum(hits) / len(hits)

    return share


METRICS: dict[str, Metric] = {
    "mae": mean_absolute,
    "rmse": root_mean_squared,
    "within": within(0.5),
}
