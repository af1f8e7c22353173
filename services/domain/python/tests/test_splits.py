"""Which data is found to be the same, in whatever form it comes, and what bounds the cost."""

from __future__ import annotations

import importlib.util
import itertools
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import recorded_splits
from recorded_splits import Splits
from recorder import RecorderError
from tests.numpy_like import Array, Scalar

HAS_NUMPY = importlib.util.find_spec("numpy") is not None
HAS_PANDAS = importlib.util.find_spec("pandas") is not None


class Lab(unittest.TestCase):
    def setUp(self) -> None:
        self.splits = Splits()

    def add(self, name: str, data: Any, role: Any = None, fold: Any = None) -> dict[str, Any]:
        self.splits.add(name, data, role, fold)
        return self.splits.written()[0][-1]

    def shared(self) -> list[tuple[int, int, int]]:
        pairs = self.splits.written()[1]
        return [(pair["first"], pair["second"], pair["rows"]) for pair in pairs]

    def refused(self, words: str, name: Any, data: Any, **named: Any) -> None:
        with self.assertRaises(RecorderError) as caught:
            self.splits.add(name, data, named.get("role"), named.get("fold"))
        self.assertIn(words, str(caught.exception))


class SplitsTest(Lab):
    def test_rows_that_two_splits_share_are_counted(self) -> None:
        self.add("train", [[1, "a"], [2, "b"], [3, "c"]])
        self.add("validation", [[4, "d"], [5, "e"]])
        self.add("test", [[3, "c"], [6, "f"], [1, "a"], [1, "a"]])
        self.assertEqual(self.shared(), [(0, 2, 2)])

    def test_honest_splits_share_nothing(self) -> None:
        rows = [[n, n % 2] for n in range(100)]
        self.add("train", rows[:60])
        self.add("validation", rows[60:80])
        self.add("test", rows[80:])
        self.assertEqual(self.shared(), [])

    def test_the_same_content_has_the_same_digest_in_any_order(self) -> None:
        first = self.add("validation", [[1], [2], [2]])
        second = self.add("test", [[2], [1], [2]])
        third = self.add("other", [[1], [1], [2]])
        self.assertEqual(first["digest"], second["digest"])
        self.assertNotEqual(first["digest"], third["digest"])
        self.assertEqual(self.shared(), [(0, 1, 2), (0, 2, 2), (1, 2, 2)])

    def test_one_row_in_many_forms(self) -> None:
        forms = [
            [[1, 2.5]],
            [(1.0, 2.5)],
            [Array([1, 2.5])],
            [[Scalar(1), Scalar(2.5)]],
            [((1,), 2.5)],
            {"x": [1], "y": [2.5]},
            iter([[True, 2.5]]),
        ]
        digests = {self.add(f"form{number}", form)["digest"] for number, form in enumerate(forms)}
        self.assertEqual(len(digests), 1)
        self.add("mixed", [[1, "a"], [None, b"x"]])
        self.add("mixed_again", [[1.0, "a"], [None, b"x"]])
        self.assertEqual(self.shared()[-1], (7, 8, 2))

    def test_what_differs_is_not_taken_for_the_same(self) -> None:
        self.add("train", [["ab", "c"], ["1"], [1], [None], [2**60], [0.1]])
        self.add("test", [["a", "bc"], [b"1"], [1.5], ["None"], [2**60 + 1], [0.1000001]])
        self.assertEqual(self.shared(), [])

    def test_minus_zero_is_zero(self) -> None:
        self.add("train", [[0.0]])
        self.add("test", [[-0.0]])
        self.assertEqual(self.shared(), [(0, 1, 1)])

    def test_files_are_compared_by_their_content(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / name for name in ("a.png", "b.png", "c.png")]
            for path, content in zip(paths, ("one", "two", "one"), strict=True):
                path.write_text(content)
            self.add("train", paths[:2])
            self.add("test", paths[2:])
            self.assertEqual(self.shared(), [(0, 1, 1)])
            self.refused("is not a regular file", "folder", [Path(folder)])
            self.refused("cannot be read", "nothing", [Path(folder) / "d.png"])

    def test_folds_are_not_compared_with_each_other(self) -> None:
        rows = [[n] for n in range(4)]
        for fold in range(2):
            self.add("train", rows[fold * 2 : fold * 2 + 2], fold=fold)
            self.add("validation", rows[2 - fold * 2 : 4 - fold * 2], fold=fold)
        self.assertEqual(self.shared(), [])
        self.add("test", [rows[0]], fold=0)
        self.assertEqual(self.shared(), [(0, 4, 1)])
        self.refused("already recorded", "train", rows, fold=1)

    def test_roles(self) -> None:
        for name, role in (
            ("train", "train"),
            ("Training_set", "train"),
            ("fit", "train"),
            ("val", "validation"),
            ("dev", "validation"),
            ("test_2024", "test"),
            ("pool", "other"),
        ):
            self.assertEqual(self.add(name, [[name]])["role"], role)
        self.assertEqual(self.add("part_1", [[1]], role="train")["role"], "train")
        self.refused("role 'exam' is none of", "part_2", [[1]], role="exam")

    def test_what_cannot_be_split(self) -> None:
        itself: list[Any] = []
        itself.append(itself)
        for data, words in (
            ("train.csv", "a str where rows are expected"),
            (Path("train.csv"), "a PosixPath where rows"),
            (b"x", "a bytes where rows"),
            (3, "a int where rows"),
            (None, "a NoneType where rows"),
            ([], "there are no rows"),
            ({}, "there are no rows"),
            ({"x": [1], "y": [1, 2]}, "the columns have different lengths"),
            ([object()], "a row holds a object"),
            ([{1, 2}], "a row holds a set"),
            ([itself], "a row is nested more than"),
        ):
            with self.subTest(words):
                self.refused(f"split train: {words}", "train", data)
        self.refused("split ''", "", [[1]])
        self.refused("fold -1", "train", [[1]], fold=-1)
        self.assertEqual(self.splits.written(), ([], []))

    def test_the_cost_is_bounded_and_said(self) -> None:
        with mock.patch.object(recorded_splits, "MAX_ROWS", 3):
            self.assertTrue(self.add("whole", [[1], [2], [3]])["complete"])
            part = self.add("train", ([n] for n in itertools.count()))
        self.assertEqual((part["rows"], part["complete"]), (3, False))
        self.splits._left = 2 * recorded_splits.OBJECT_BYTES
        part = self.add("test", [[n] for n in range(10)])
        self.assertEqual((part["rows"], part["complete"]), (2, False))
        with mock.patch.object(recorded_splits, "MAX_SPLITS", 3):
            self.refused("more than 3 splits", "more", [[1]])


@unittest.skipUnless(HAS_NUMPY, "numpy is not installed")
class NumpyTest(Lab):
    def test_one_array_in_many_forms(self) -> None:
        import numpy

        rows = [[1, 2], [3, 4], [5, -0.0]]
        for number, data in enumerate(
            (
                rows,
                numpy.array(rows),
                numpy.array(rows, dtype="float32"),
                numpy.array(rows, dtype="int64"),
                numpy.asfortranarray(rows),
                numpy.array(rows, dtype=object),
                numpy.array(rows).reshape(3, 1, 2),
                (numpy.array(rows)[:, 0], numpy.array(rows)[:, 1]),
            )
        ):
            entry = self.add(f"form{number}", data)
            self.assertEqual(entry["digest"], self.splits.written()[0][0]["digest"], number)

    def test_large_integers_are_told_apart(self) -> None:
        import numpy

        self.add("train", numpy.array([2**60, 1], dtype="int64"))
        self.add("test", numpy.array([2**60 + 1], dtype="uint64"))
        self.assertEqual(self.shared(), [])
        self.add("again", [[2**60]])
        self.assertEqual(self.shared(), [(0, 2, 1)])

    def test_features_and_labels(self) -> None:
        import numpy

        features, labels = numpy.arange(12.0).reshape(6, 2), numpy.array(list("aabbcc"))
        self.add("train", (features[:4], labels[:4]))
        self.add("test", (features[3:], labels[3:]))
        self.assertEqual([entry["rows"] for entry in self.splits.written()[0]], [4, 3])
        self.assertEqual(self.shared(), [(0, 1, 1)])

    def test_tensors_and_data_sets(self) -> None:
        import numpy

        class Tensor:
            shape = (2, 2)

            def detach(self) -> Tensor:
                return self

            cpu = detach

            def numpy(self) -> Any:
                return numpy.array([[1, 2], [3, 4]], dtype="float32")

        class Half(Tensor):
            """A type that numpy does not know."""

            def numpy(self) -> Any:
                raise TypeError("unsupported ScalarType BFloat16")

            def __getitem__(self, rows: slice) -> Half:
                return self

            def tolist(self) -> list[Any]:
                return [[1.0, 2.0], [3.0, 4.0]]

        class Rows:
            def __len__(self) -> int:
                return 2

            def __getitem__(self, at: int) -> Any:  # never says that there are no more
                return numpy.array([1, 3])[at % 2], numpy.float32([2, 4])[at % 2]

        for name, data in (("tensor", Tensor()), ("half", Half()), ("rows", Rows())):
            self.add(name, data)
        self.assertEqual(self.shared(), [(0, 1, 2), (0, 2, 2), (1, 2, 2)])

    @unittest.skipUnless(HAS_PANDAS, "pandas is not installed")
    def test_data_frames(self) -> None:
        import pandas

        frame = pandas.DataFrame({"x": [1, 2, 3], "y": ["a", "b", None], "at": ["2020-01-01"] * 3})
        frame["at"] = pandas.to_datetime(frame["at"])
        self.add("train", frame.iloc[:2])
        self.add("test", frame.iloc[1:])
        self.assertEqual(self.shared(), [(0, 1, 1)])
        self.add("column", frame["x"])
        self.assertEqual(
            self.add("list", [1, 2, 3])["digest"], self.splits.written()[0][2]["digest"]
        )
