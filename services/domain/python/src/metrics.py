"""Canonical metrics: one definition each, for programs to import and for the scorer to compute.

Must not depend on any package, read files, or record anything (that is the recorder's).
Arguments are any sequences of equal, non-zero length: lists, tuples, numpy arrays, series. What is
a share is in fractions; errors are in the unit of the target (recorded as "none"). The results are
those of scikit-learn's functions, with 0 for what is divided by zero.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any


def accuracy(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Share of equal pairs."""
    pairs = _pairs(truth, predicted)
    return sum(1 for expected, got in pairs if expected == got) / len(pairs)


def balanced_accuracy(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Unweighted mean of the recall of every label that occurs in the truth."""
    counts = _Counts(truth, predicted)
    return math.fsum(counts.recall(label) for label in counts.expected) / len(counts.expected)


def precision_macro(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Unweighted mean of the precision of every label that occurs on either side."""
    counts = _Counts(truth, predicted)
    return counts.mean(counts.precision)


def precision_micro(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Precision over all labels together, which is the accuracy."""
    return accuracy(truth, predicted)


def precision_weighted(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Mean of the precision of every label, weighted by how often it is true."""
    counts = _Counts(truth, predicted)
    return counts.weighted(counts.precision)


def recall_macro(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Unweighted mean of the recall of every label that occurs on either side."""
    counts = _Counts(truth, predicted)
    return counts.mean(counts.recall)


def recall_micro(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Recall over all labels together, which is the accuracy."""
    return accuracy(truth, predicted)


def recall_weighted(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Mean of the recall of every label, weighted by how often it is true."""
    counts = _Counts(truth, predicted)
    return counts.weighted(counts.recall)


def f1_macro(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Unweighted mean of the F1 of every label that occurs on either side."""
    counts = _Counts(truth, predicted)
    return counts.mean(counts.f1)


def f1_micro(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """F1 over all labels together, which is the accuracy."""
    return accuracy(truth, predicted)


def f1_weighted(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Mean of the F1 of every label, weighted by how often it is true."""
    counts = _Counts(truth, predicted)
    return counts.weighted(counts.f1)


def roc_auc(truth: Iterable[Any], scores: Iterable[Any]) -> float:
    """Area under the ROC curve; of the two labels in the truth the greater one is positive."""
    pairs = _scored(truth, scores)
    positives = sum(is_positive for is_positive, _ in pairs)
    negatives = len(pairs) - positives
    # Mann-Whitney: the share of pairs of a positive and a negative row that are in order. Ranks
    # are doubled, so that those of ties stay whole numbers.
    pairs.sort(key=lambda pair: pair[1])
    doubled, start = 0, 0
    while start < len(pairs):
        end = start
        while end < len(pairs) and pairs[end][1] == pairs[start][1]:
            end += 1
        doubled += (start + 1 + end) * sum(is_positive for is_positive, _ in pairs[start:end])
        start = end
    return (doubled - positives * (positives + 1)) / (2 * positives * negatives)


def log_loss(truth: Iterable[Any], probabilities: Iterable[Any]) -> float:
    """Mean negative logarithm of the probability of what is true; for two labels.

    `probabilities` are those of the greater of the two labels. 0 and 1 count as the nearest
    numbers between them.
    """
    least = sys.float_info.epsilon
    losses = []
    for is_positive, probability in _scored(truth, probabilities):
        if not 0 <= probability <= 1:
            raise ValueError("a probability is not between 0 and 1")
        of_true = probability if is_positive else 1 - probability
        losses.append(-math.log(min(max(of_true, least), 1 - least)))
    return math.fsum(losses) / len(losses)


def mae(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Mean absolute error."""
    errors = _errors(truth, predicted)
    return math.fsum(abs(error) for error in errors) / len(errors)


def mse(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Mean squared error."""
    errors = _errors(truth, predicted)
    return math.fsum(error * error for error in errors) / len(errors)


def rmse(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Root of the mean squared error."""
    errors = _errors(truth, predicted)
    return math.hypot(*errors) / math.sqrt(len(errors))


def r2(truth: Iterable[Any], predicted: Iterable[Any]) -> float:
    """Share of the variance that is explained: 1 at best, 0 for the mean, less than 0 for worse."""
    truth = list(truth)
    if len(truth) == 1:
        raise ValueError("r2 of one value is not defined")
    residual = math.fsum(error * error for error in _errors(truth, predicted))
    mean = math.fsum(map(float, truth)) / len(truth)
    total = math.fsum((float(expected) - mean) ** 2 for expected in truth)
    if total == 0:
        return 1.0 if residual == 0 else 0.0
    return 1 - residual / total


class _Counts:
    """How often each label is true, is predicted, and is both."""

    def __init__(self, truth: Iterable[Any], predicted: Iterable[Any]) -> None:
        pairs = _pairs(truth, predicted)
        self.expected = Counter(left for left, _ in pairs)
        self.got = Counter(right for _, right in pairs)
        self.hits = Counter(left for left, right in pairs if left == right)

    def precision(self, label: Any) -> float:
        return self.hits[label] / self.got[label] if self.got[label] else 0.0

    def recall(self, label: Any) -> float:
        return self.hits[label] / self.expected[label] if self.expected[label] else 0.0

    def f1(self, label: Any) -> float:
        # 2·TP / (2·TP + FP + FN); the two counts hold TP + FN and TP + FP, and are not both zero.
        return 2 * self.hits[label] / (self.expected[label] + self.got[label])

    def mean(self, of: Any) -> float:
        labels = self.expected.keys() | self.got.keys()
        return math.fsum(of(label) for label in labels) / len(labels)

    def weighted(self, of: Any) -> float:
        rows = sum(self.expected.values())
        return math.fsum(of(label) * times for label, times in self.expected.items()) / rows


def _scored(truth: Iterable[Any], scores: Iterable[Any]) -> list[tuple[bool, float]]:
    pairs = _pairs(truth, scores)
    labels = sorted({label for label, _ in pairs})
    if len(labels) != 2:
        raise ValueError(f"there are {len(labels)} labels where two are needed")
    scored = [(bool(label == labels[1]), float(score)) for label, score in pairs]
    if not all(math.isfinite(score) for _, score in scored):
        raise ValueError("a value is NaN or infinite")
    return scored


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
