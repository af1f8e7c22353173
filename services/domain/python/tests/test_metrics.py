"""The canonical metrics against values worked out by hand; the scorer's tests ask scikit-learn."""

from __future__ import annotations

import math
import unittest

import metrics
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

    def test_labels_that_are_missing_on_a_side(self) -> None:
        truth, predicted = list("aab"), list("abc")
        self.assertEqual(metrics.precision_macro(truth, predicted), 1 / 3)
        self.assertEqual(metrics.recall_macro(truth, predicted), 0.5 / 3)
        self.assertEqual(metrics.balanced_accuracy(truth, predicted), 0.25)
        self.assertAlmostEqual(metrics.precision_weighted(truth, predicted), 2 / 3)
        self.assertAlmostEqual(metrics.recall_weighted(truth, predicted), 1 / 3)
        self.assertAlmostEqual(metrics.f1_weighted(truth, predicted), (2 / 3) * 2 / 3)
        for name in ("precision_micro", "recall_micro", "f1_micro"):
            self.assertEqual(getattr(metrics, name)(truth, predicted), 1 / 3)

    def test_scores_and_probabilities(self) -> None:
        self.assertEqual(metrics.roc_auc([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]), 0.75)
        self.assertEqual(metrics.roc_auc([False, True], [1, 1]), 0.5)
        self.assertAlmostEqual(metrics.log_loss([0, 1], [0.5, 0.5]), math.log(2))
        self.assertLess(metrics.log_loss([0, 1], [1, 0]), 40)
        for function in (metrics.roc_auc, metrics.log_loss):
            with self.assertRaisesRegex(ValueError, "1 labels where two"):
                function([1, 1], [0.5, 0.5])
            with self.assertRaisesRegex(ValueError, "NaN or infinite"):
                function([0, 1], [0.5, math.nan])
        with self.assertRaisesRegex(ValueError, "between 0 and 1"):
            metrics.log_loss([0, 1], [0.5, 1.5])

    def test_errors(self) -> None:
        self.assertEqual(metrics.mse([1, 2], [1, 4]), 2.0)
        self.assertEqual(metrics.r2([1, 2, 3], [1, 2, 3]), 1.0)
        self.assertEqual(metrics.r2([1, 2, 3], [2, 2, 2]), 0.0)
        self.assertEqual(metrics.r2([2, 2], [2, 2]), 1.0)
        self.assertEqual(metrics.r2([2, 2], [2, 3]), 0.0)
        with self.assertRaisesRegex(ValueError, "not defined"):
            metrics.r2([1], [1])
