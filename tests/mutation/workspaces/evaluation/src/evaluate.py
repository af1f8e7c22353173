"""Fits and measures over folds."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

import metrics as measures
from splits import Fold, KFold

Row = tuple[float, float]


class Mean:
    """Always says the mean."""

    def __init__(self) -> None:
        self.mean: float | None = None

    def fit(self, rows: Sequence[Row]) -> Mean:
        self.mean = statistics.fmean(y for _, y in rows)
        return self

    def predict(self, rows: Sequence[Row]) -> list[float]:
        return [self.mean for _ in rows]


class Ratio(Mean):
    """Says `factor * x`."""

    def fit(self, rows: Sequence[Row]) -> Ratio:
        super().fit(rows)
        self.factor = sum(y for _, y in rows) / sum(x for x, _ in rows)
        return self

    def predict(self, rows: Sequence[Row]) -> list[float]:
        return [self.factor * x for x, _ in rows]


@dataclass
class Result:
    name: str
    scores: list[float] = field(default_factory=list)

    def add(self, score: float) -> None:
        self.scores.append(score)

    @property
    def mean(self) -> float:
        return statistics.fmean(self.scores)


def evaluate(model: Mean, rows: Sequence[Row], metric: str = "mae", *, folds: KFold) -> Result:
    result = Result(metric)
    for fold in folds.split(rows):
        result.add(score(model, fold, measures.METRICS[metric]))
    return result


def score(model: Mean, fold: Fold, metric: measures.Metric) -> float:
    truth = [y for _, y in fold.test]
    return metric(truth, model.fit(fold.train).predict(fold.test))
