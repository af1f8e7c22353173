"""Canonical metrics: one definition each, for programs to import and results to agree on.

Must not depend on any package, read files, or record anything (that is the recorder's).
Arguments are any sequences of equal, non-zero length: lists, tuples, numpy arrays, series.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any


def accuracy(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Share of equal pairs; unit: fraction."""
    pairs = _pairs(truth, predicted)
    return sum(1 for expected, got in pairs if expected == got) / len(pairs)


def f1_macro(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Unweighted mean of the F1 of every label that occurs on either side; unit: fraction."""
    pairs = _pairs(truth, predicted)
    expected = Counter(left for left, _ in pairs)
    got = Counter(right for _, right in pairs)
    hits = Counter(left for left, right in pairs if left == right)
    labels = expected.keys() | got.keys()
    # 2·TP / (2·TP + FP + FN); the two counts hold TP + FN and TP + FP, and are not both zero.
    return sum(2 * hits[label] / (expected[label] + got[label]) for label in labels) / len(labels)


def mae(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Mean absolute error; unit: that of the target (recorded as "none")."""
    errors = _errors(truth, predicted)
    return math.fsum(abs(error) for error in errors) / len(errors)


def rmse(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Root of the mean squared error; unit: that of the target (recorded as "none")."""
    errors = _errors(truth, predicted)
    return math.hypot(*errors) / math.sqrt(len(errors))


def _pairs(truth: Iterable[Any], predicted: Iterable[Any]) -> list[tuple[Any, Any]]:
    left, right = list(truth), list(predicted)
    if len(left) != len(right):
        raise ValueError(f"{len(left)} true values, but {len(right)} predicted ones")
    if not left:
        raise ValueError("a metric of no values is not defined")
    return list(zip(left, right, strict=True))


def _errors(truth: Iterable[Any], predicted: Iterable[Any]) -> list[float]:
    errors = [float(expected) - float(got) for expected, got in _pairs(truth, predicted)]
    if not all(math.isfinite(error) for error in errors):
        raise ValueError("a value is NaN or infinite")
    return errors
