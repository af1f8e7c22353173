"""Testimony: anything at all becomes JSON of a bounded size, and nothing raises."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import importlib.util
import json
import pathlib
import types
import unittest
import uuid
from typing import Any

import recorded_values
from recorded_values import plain
from tests.numpy_like import Array, DoubleScalar, Extended, Scalar


class Colour(enum.IntEnum):
    RED = 1


@dataclasses.dataclass
class Point:
    x: float
    where: pathlib.Path


Pair = collections.namedtuple("Pair", ("left", "right"))


class Hostile:
    def __repr__(self) -> str:
        raise SystemExit(0)


class EndlessMapping(collections.abc.Mapping):
    def __getitem__(self, key: Any) -> Any:
        return key

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Any:
        number = 0
        while True:
            yield number
            number += 1


class PlainTest(unittest.TestCase):
    def test_what_json_has_stays_as_it_is(self) -> None:
        value = {"a": [1, 2.5, None, True, "größe 😀"], "b": {"c": {}}}
        self.assertEqual(plain(value), value)

    def test_what_json_lacks(self) -> None:
        moment = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
        for value, expected in (
            (float("nan"), "NaN"),
            (float("inf"), "Infinity"),
            (float("-inf"), "-Infinity"),
            (Scalar(3), 3),
            (Scalar(True), True),
            (Scalar(float("nan")), "NaN"),
            (DoubleScalar("nan"), "NaN"),
            (Extended(0.5), 0.5),
            (Array([1.0, float("nan")]), [1.0, "NaN"]),
            (moment, "2026-01-02T03:04:05+00:00"),
            (moment.date(), "2026-01-02"),
            (datetime.timedelta(seconds=90), "0:01:30"),
            (pathlib.Path("a/b"), "a/b"),
            (decimal.Decimal("0.10"), "0.10"),
            (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
            (1 + 2j, "(1+2j)"),
            (Colour.RED, 1),
            (Point(1.0, pathlib.Path("p")), {"x": 1.0, "where": "p"}),
            (Pair(1, 2), {"left": 1, "right": 2}),
            ((1, 2), [1, 2]),
            ({3, 1, 2}, [1, 2, 3]),
            (frozenset("ba"), ["a", "b"]),
            (b"ab\xff", "ab\ufffd"),
            (2**63, str(2**63)),
            (-(2**63), -(2**63)),
            ("\ud800x", "?x"),
            (range(3), [0, 1, 2]),
            (Scalar, "<class 'tests.numpy_like.Scalar'>"),
            (types.MappingProxyType({"a": 1}), {"a": 1}),
            (
                {1: "a", "1": "b", None: 1, (1, 2): 2},
                {"1": "a", "1#2": "b", "null": 1, "[1, 2]": 2},
            ),
        ):
            with self.subTest(value):
                self.assertEqual(plain(value), expected)

    def test_strangers_become_their_repr(self) -> None:
        self.assertEqual(plain(ValueError("x")), "ValueError('x')")
        self.assertEqual(plain(Hostile()), "<unreadable Hostile>")
        self.assertEqual(plain([Hostile(), 1]), ["<unreadable Hostile>", 1])
        self.assertIn("<generator", plain(n for n in (1, 2)))

    def test_self_nesting_is_cut(self) -> None:
        loop: dict[str, Any] = {"name": "loop"}
        loop["self"] = loop
        self.assertEqual(plain(loop), {"name": "loop", "self": "<cut: contains itself>"})
        shared = [1]
        self.assertEqual(plain([shared, shared]), [[1], [1]])

    def test_depth_is_cut(self) -> None:
        deep: list[Any] = []
        for _ in range(100_000):
            deep = [deep]
        self.assertIn("<cut: nested too deeply>", json.dumps(plain(deep)))

    def test_size_is_cut(self) -> None:
        for value, mark in (
            (list(range(10**6)), "too many values"),
            ({n: n for n in range(10**6)}, "too many values"),
            (EndlessMapping(), "too many values"),
            ("x" * 10**6, "<cut: 990000 more characters>"),
            (["x" * 10**4] * 1_000, "more characters>"),
            (b"x" * 10**7, "x" * 100),
            (1 << 10**6, "<cut: integer of 1000001 bits>"),
            (Array([], shape=(10**6, 10**6)), "<cut: Array of shape (1000000, 1000000)>"),
        ):
            text = json.dumps(plain(value))
            with self.subTest(text[:40]):
                self.assertIn(mark, text)
                self.assertLess(len(text), 2 * recorded_values.MAX_TOTAL_TEXT)


@unittest.skipUnless(importlib.util.find_spec("pandas"), "numpy and pandas are not installed")
class LibrariesTest(unittest.TestCase):
    def test_real_arrays_and_frames(self) -> None:
        import numpy
        import pandas

        day = numpy.datetime64("2026-01-31")
        for value, expected in (
            (numpy.float32(0.5), 0.5),
            (numpy.int64(3), 3),
            (numpy.bool_(True), True),
            (numpy.float64("nan"), "NaN"),
            (numpy.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
            (numpy.array([day.astype("datetime64[ns]")]), ["2026-01-31T00:00:00.000000000"]),
            (day, "2026-01-31"),
            (pandas.Timestamp("2026-01-31"), "2026-01-31T00:00:00"),
            (pandas.Series([1.5]), [1.5]),
            (pandas.DataFrame({"x": [1], "y": ["a"]}), {"x": [1], "y": ["a"]}),
            (numpy.zeros(30_000), "<cut: ndarray of shape (30000,)>"),
            (pandas.DataFrame({"x": range(30_000)}), "<cut: DataFrame of shape (30000, 1)>"),
        ):
            with self.subTest(expected):
                self.assertEqual(plain(value), expected)
