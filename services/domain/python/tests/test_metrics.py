"""The canonical metrics, against values worked out by hand and against the scorer's own."""

from __future__ import annotations

import math
import random
import unittest

import metrics
import scorer
from tests.numpy_like import Array, Scalar


class MetricsTest(unittest.TestCase):
    def test_by_hand(self) -> None:
        truth, predicted = [3, 1, 1, 2], [3, 1, 2, 2]
        self.assertEqual(metrics.accuracy(truth, predicted), 0.75)
        self.assertAlmostEqual(metrics.f1_macro(truth, predicted), (1 + 2 / 3 + 2 / 3) / 3)
        self.assertEqual(metrics.mae(truth, predicted), 0.25)
        self.assertEqual(metrics.rmse(truth, predicted), 0.5)

    def test_a_label_on_one_side_only_counts_as_zero(self) -> None:
        self.assertEqual(metrics.f1_macro(["a", "a"], ["b", "b"]), 0.0)
        self.assertAlmostEqual(metrics.f1_macro([1, 2], [1, 1]), (2 / 3) / 2)

    def test_arrays_and_iterators(self) -> None:
        self.assertEqual(metrics.accuracy(Array([1, 2]), iter([1, 3])), 0.5)
        self.assertEqual(metrics.mae(Array([Scalar(1.5)]), [1]), 0.5)

    def test_what_has_no_metric(self) -> None:
        for function in (metrics.accuracy, metrics.f1_macro, metrics.mae, metrics.rmse):
            with self.subTest(function.__name__):
                with self.assertRaisesRegex(ValueError, "2 true values, but 1 predicted"):
                    function([1, 2], [1])
                with self.assertRaisesRegex(ValueError, "no values"):
                    function([], [])
        for value in (math.nan, math.inf):
            with self.assertRaisesRegex(ValueError, "NaN or infinite"):
                metrics.rmse([1.0], [value])

    def test_the_scorer_computes_the_same(self) -> None:
        source = random.Random(7)
        for _ in range(50):
            truth = [source.randrange(5) for _ in range(source.randrange(1, 40))]
            predicted = [source.randrange(5) for _ in truth]
            pairs = [(str(left), str(right)) for left, right in zip(truth, predicted, strict=True)]
            for name in scorer.METRICS:
                ours = getattr(metrics, name)(truth, predicted)
                theirs = scorer.METRICS[name][0](pairs)
                self.assertTrue(math.isclose(ours, theirs, rel_tol=1e-12), (name, ours, theirs))
