"""What the recorder takes, what it refuses and with which words."""

from __future__ import annotations

import decimal
import fractions
import itertools
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import recorder
from recorder import Recorder, RecorderError
from tests.numpy_like import Array, DoubleScalar, Extended, Scalar


class RecorderTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "out"
        self.inputs = Path(folder.name) / "inputs"
        self.out.mkdir()
        self.inputs.mkdir()
        self.recorder = Recorder(self.out, self.inputs)

    def refused(self, words: str, function: Any, *values: Any, **named: Any) -> None:
        with self.assertRaises(RecorderError) as caught:
            function(*values, **named)
        self.assertIn(words, str(caught.exception))

    def recorded(self) -> list[dict[str, Any]]:
        return list(self.recorder._metrics.values())


class MetricTest(RecorderTest):
    def test_numbers_of_all_kinds(self) -> None:
        for value, kept in (
            (3, 3),
            (2.5, 2.5),
            (Scalar(3), 3),
            (Scalar(2.5), 2.5),
            (DoubleScalar(0.5), 0.5),
            (Extended(0.25), 0.25),
            (decimal.Decimal("0.5"), 0.5),
            (fractions.Fraction(1, 4), 0.25),
            (2**60, float(2**60)),
            (-(2**53), -(2**53)),
        ):
            with self.subTest(value):
                self.recorder = Recorder(self.out, self.inputs)
                self.recorder.metric("m", value, "none")
                (metric,) = self.recorded()
                self.assertEqual(metric["value"], kept)
                self.assertIn(type(metric["value"]), (int, float))

    def test_values_that_are_no_finite_number(self) -> None:
        for value, words in (
            (float("nan"), "nan is not a finite number"),
            (float("inf"), "inf is not a finite number"),
            (Scalar(float("-inf")), "-inf is not a finite number"),
            (decimal.Decimal("NaN"), "nan is not a finite number"),
            (True, "is a truth value"),
            (Scalar(False), "is a truth value"),
            ("0.9", "a str is not a number"),
            (b"1", "a bytes is not a number"),
            (None, "a NoneType is not a number"),
            ([0.9], "a list is not a number"),
            (1j, "a complex is not a number"),
            (10**400, "is not one number"),
            (decimal.Decimal("sNaN"), "is not one number"),
            (2**53 + 1, "cannot be recorded without loss"),
            (Array([0.5]), "metric m: an array of shape (1,)"),
            (Array([0.5, 0.6], shape=(1, 2)), "array of shape (1, 2)"),
        ):
            with self.subTest(value):
                self.refused(words, self.recorder.metric, "m", value, "none")
        self.assertEqual(self.recorded(), [])

    def test_units(self) -> None:
        for unit in recorder.UNITS:
            self.recorder.metric(f"in_{unit}", 1, unit)
        self.assertEqual([metric["unit"] for metric in self.recorded()], list(recorder.UNITS))
        for unit in ("", "Fraction", "%", None, 1, "epochs"):
            with self.subTest(unit):
                self.refused("is none of fraction, percent", self.recorder.metric, "m", 1, unit)

    def test_a_percentage_is_no_fraction(self) -> None:
        self.refused("68.86 is no fraction", self.recorder.metric, "m", 68.86, "fraction")
        self.refused("-0.1 is no fraction", self.recorder.metric, "m", -0.1, "fraction")
        self.recorder.metric("m", 68.86, "percent")
        self.recorder.metric("rounded", 1.0000000000000002, "fraction")

    def test_a_share_is_recorded_as_one(self) -> None:
        for name in ("accuracy", "f1_macro", "recall_at_5", "roc_auc"):
            with self.subTest(name):
                self.refused("it is a share", self.recorder.metric, name, 68.86, "none")
                self.refused("it is a share", self.recorder.metric, name, 3, "count")
                self.refused("no percentage", self.recorder.metric, name, 101, "percent")
                self.recorder.metric(name, 68.86, "percent")
        self.recorder.metric("growth", 140, "percent")
        self.recorder.metric("f1", 100.0000000001, "percent")

    def test_quantities_are_not_negative(self) -> None:
        for unit in ("count", "seconds", "bytes"):
            with self.subTest(unit):
                self.refused("is negative", self.recorder.metric, "m", -1, unit)

    def test_names_and_splits(self) -> None:
        for name in ("", "9lives", "a b", "a\n", "x" * 65, None, 3, "größe"):
            with self.subTest(name):
                self.refused("metric name", self.recorder.metric, name, 1, "none")
                if name is not None:
                    self.refused("split", self.recorder.metric, "m", 1, "none", split=name)

    def test_steps(self) -> None:
        self.recorder.metric("m", 1, "none", step=Scalar(2))
        self.assertEqual(self.recorded()[0]["step"], 2)
        for step in (-1, True, 1.5, "1", 2**60):
            with self.subTest(step):
                self.refused("whole number", self.recorder.metric, "m", 1, "none", step=step)

    def test_no_value_replaces_another(self) -> None:
        self.recorder.metric("m", 1, "none", split="test", step=1)
        self.recorder.metric("m", 2, "none", split="test", step=2)
        self.recorder.metric("m", 3, "none", split="train", step=1)
        self.refused("already recorded", self.recorder.metric, "m", 4, "none", split="test", step=1)

    def test_there_are_only_so_many(self) -> None:
        with mock.patch.object(recorder, "MAX_METRICS", 2):
            self.recorder.metric("a", 1, "none")
            self.recorder.metric("b", 1, "none")
            self.refused("more than 2 metrics", self.recorder.metric, "c", 1, "none")


class PredictionsTest(RecorderTest):
    def written(self, name: str = "test") -> str:
        return (self.out / "predictions" / f"{name}.csv").read_text(encoding="utf-8")

    def test_all_kinds_of_values(self) -> None:
        self.recorder.predictions(
            "test",
            ["a,1", 2, 3.0, Scalar(4), Scalar("größe")],
            Array(["x", 1, 0.5, Scalar(7), DoubleScalar(2.0)]),
        )
        self.assertEqual(self.written(), 'id,prediction\n"a,1",x\n2,1\n3,0.5\n4,7\ngröße,2.0\n')
        self.assertEqual([path.name for path in self.out.rglob("*.*")], ["test.csv"])

    def test_iterators_are_read_once(self) -> None:
        self.recorder.predictions("test", iter(["a", "b"]), (n for n in (1, 2)))
        self.assertEqual(self.written(), "id,prediction\na,1\nb,2\n")

    def test_names_cannot_leave_the_folder(self) -> None:
        for name in ("", "../x", "a/b", ".hidden", "a.csv", "x" * 65, None, 3, "a\n"):
            with self.subTest(name):
                self.refused("predictions name", self.recorder.predictions, name, [1], [1])

    def test_values_that_cannot_be_scored(self) -> None:
        for value, words in (
            (float("nan"), "value at position 1: nan is not a finite number"),
            (Scalar(float("inf")), "inf is not a finite number"),
            (None, "a NoneType is not a number"),
            (True, "is a truth value"),
            (["x"], "a list is not a number"),
            (Array([1.0, 2.0]), "array of shape (2,)"),
            ("", "is not one line"),
            ("a\nb", "is not one line"),
            ("a\0", "is not one line"),
            ("\ud800", "is not one line"),
            ("x" * 1_001, "is not one line"),
        ):
            with self.subTest(value):
                self.refused(words, self.recorder.predictions, "test", [1, 2], [1, value])
        self.assertFalse((self.out / "predictions").exists())

    def test_lists_that_do_not_fit(self) -> None:
        for ids, values, words in (
            ([1, 2], [1], "2 ids, but 1 values"),
            ([], [], "there are none"),
            ([1, "1"], [1, 2], "id '1' occurs twice"),
            ([1.0, 1], [1, 2], "id '1' occurs twice"),
            ("ab", [1, 2], "ids is a str"),
            ([1, 2], "ab", "values is a str"),
            ({1: 2}, [1], "ids is a dict"),
            (1, [1], "ids is a int"),
        ):
            with self.subTest(words):
                self.refused(words, self.recorder.predictions, "test", ids, values)

    def test_an_endless_list_ends(self) -> None:
        with mock.patch.object(recorder, "MAX_PREDICTIONS", 3):
            self.refused(
                "more than 3 ids", self.recorder.predictions, "test", itertools.count(), [1]
            )

    def test_a_second_call_is_an_error(self) -> None:
        self.recorder.predictions("test", ["a"], [1])
        self.refused("already recorded", self.recorder.predictions, "test", ["a"], [2])
        self.recorder.predictions("other", ["a"], [2])
        self.assertEqual(self.written(), "id,prediction\na,1\n")

    def test_a_link_in_the_way_is_not_followed(self) -> None:
        (self.out / "predictions").mkdir()
        (self.out / "predictions" / "test.csv").symlink_to(self.inputs / "elsewhere.csv")
        self.refused("already recorded", self.recorder.predictions, "test", ["a"], [1])
        self.assertEqual(list(self.inputs.iterdir()), [])

    def test_a_failed_write_leaves_nothing(self) -> None:
        with (
            mock.patch.object(os, "replace", side_effect=OSError("no space")),
            self.assertRaises(OSError),
        ):
            self.recorder.predictions("test", ["a"], [1])
        self.assertEqual(list((self.out / "predictions").iterdir()), [])


class InputPathTest(RecorderTest):
    def test_files_and_subfolders(self) -> None:
        (self.inputs / "sub").mkdir()
        for name in ("a.csv", "sub/b.csv"):
            (self.inputs / name).write_text("x")
            self.assertEqual(self.recorder.input_path(name).read_text(), "x")

    def test_paths_that_lead_outside(self) -> None:
        secret = self.inputs.parent / "secret"
        secret.write_text("x")
        (self.inputs / "link").symlink_to(secret)
        for name in ("../secret", "/etc/passwd", "sub/../../secret", "link"):
            with self.subTest(name):
                self.refused("lies outside", self.recorder.input_path, name)

    def test_names_that_are_none(self) -> None:
        for name in ("", "a\0b", None, 3):
            with self.subTest(name):
                self.refused("is not the name of an input", self.recorder.input_path, name)

    def test_a_missing_file_names_those_that_are_there(self) -> None:
        (self.inputs / "train.csv").write_text("x")
        for name in ("test.csv", "."):
            with self.subTest(name):
                self.refused("there are ['train.csv']", self.recorder.input_path, name)
