"""The scorer as a process of its own, over the folders in cases/scorer."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import scorer
import scorer_library
from tests import CASES, HARNESS, SRC

FILES = (HARNESS / "scorer.py", HARNESS / "scorer_library.py", SRC / "metrics.py")
HAS_SKLEARN = importlib.util.find_spec("sklearn") is not None
# What runs where no library is found; the environment's own, if any, is tried as well.
FLAGS = (("-I", "-S", "-B"), ("-I", "-B")) if HAS_SKLEARN else (("-I", "-S", "-B"),)


def score(
    truth: Path, predictions: Path, *metrics: str, flags: tuple[str, ...] = FLAGS[0]
) -> subprocess.CompletedProcess[str]:
    """Scores as the executor does: with the harness's files alone in a folder."""
    asked = [word for metric in metrics for word in ("--metric", metric)]
    with tempfile.TemporaryDirectory() as folder:
        for file in FILES:
            shutil.copy(file, folder)
        return _run(folder, truth, predictions, asked, flags)


def _run(
    folder: str, truth: Path, predictions: Path, asked: list[str], flags: tuple[str, ...]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            *(sys.executable, *flags, f"{folder}/scorer.py"),
            *("--truth", str(truth), "--predictions", str(predictions)),
            *asked,
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


class ScorerTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.truth = self.folder / "truth.csv"
        self.truth.write_text("id,label\na,1\n")

    def cases(self, kind: str) -> list[tuple[Path, dict[str, Any]]]:
        folders = sorted((CASES / "scorer" / kind).iterdir())
        self.assertTrue(folders)
        return [(folder, json.loads((folder / "expect.json").read_text())) for folder in folders]

    def test_accepted(self) -> None:
        for (case, expected), flags in itertools.product(self.cases("accept"), FLAGS):
            with self.subTest(case.name, flags=flags):
                ended = score(
                    case / "truth.csv", case / "predictions.csv", *expected["metrics"], flags=flags
                )
                self.assertEqual((ended.returncode, ended.stderr), (0, ""))
                answer = json.loads(ended.stdout)
                self.assertIs(answer["ok"], True)
                names = [metric["name"] for metric in answer["metrics"]]
                self.assertEqual(names, expected["metrics"])
                rows = len((case / "truth.csv").read_text().splitlines()) - 1
                for metric, value in zip(answer["metrics"], expected["values"], strict=True):
                    self.assertAlmostEqual(metric["value"] / (value or 1), 1 if value else 0)
                    self.assertEqual(metric["count"], rows)
                    self.assertEqual(metric["unit"], scorer.METRICS[metric["name"]][2])
                by = answer["by"].split()[0]
                self.assertEqual(by, "interlock" if "-S" in flags else "scikit-learn")

    def test_rejected(self) -> None:
        for case, expected in self.cases("reject"):
            with self.subTest(case.name):
                ended = score(case / "truth.csv", case / "predictions.csv", *expected["metrics"])
                self.assertEqual((ended.returncode, ended.stderr), (0, ""))
                answer = json.loads(ended.stdout)
                self.assertEqual(set(answer), {"ok", "reason"})
                self.assertIs(answer["ok"], False)
                self.assertIn(expected["reason"], answer["reason"])

    def test_what_stands_where_a_file_should(self) -> None:
        link, pipe, folder = (self.folder / name for name in ("link", "pipe", "folder"))
        link.symlink_to(self.truth)
        os.mkfifo(pipe)
        folder.mkdir()
        for path, words in (
            (link, "cannot be read"),
            (pipe, "not a regular file"),
            (folder, "not a regular file"),
        ):
            with self.subTest(path.name):
                answer = json.loads(score(self.truth, path, "accuracy").stdout)
                self.assertIs(answer["ok"], False)
                self.assertIn(words, answer["reason"])

    def test_a_file_that_is_too_large(self) -> None:
        path = self.folder / "predictions.csv"
        path.write_text("id,prediction\na,1\n")
        with mock.patch.object(scorer, "MAX_BYTES", 10):
            answer = scorer.scored({"a": "1"}, str(path), ["accuracy"], None)
        self.assertEqual(answer, {"ok": False, "reason": "it has 18 bytes; at most 10 are read"})

    def test_a_cell_that_is_too_large(self) -> None:
        path = self.folder / "predictions.csv"
        path.write_text(f"id,prediction\na,{'x' * 10_001}\n")
        answer = json.loads(score(self.truth, path, "accuracy").stdout)
        self.assertIn("field larger than field limit", answer["reason"])

    def test_no_reason_tells_a_label(self) -> None:
        for case, expected in self.cases("reject"):
            secret = self.folder / "secret.csv"
            secret.write_text(
                (case / "truth.csv").read_text().replace(",1\n", ",918273\n").replace("-1e308", "0")
            )
            ended = score(secret, case / "predictions.csv", *expected["metrics"])
            self.assertNotIn("918273", ended.stdout + ended.stderr)

    def test_a_truth_that_cannot_be_used_is_not_the_programs_fault(self) -> None:
        predictions = self.folder / "predictions.csv"
        predictions.write_text("id,prediction\na,1\n")
        for truth, metric in (
            ("", "accuracy"),
            ("id,label\n", "accuracy"),
            ("id,label\na,1\na,2\n", "accuracy"),
            ("id,label\na,one\n", "rmse"),
            ("id,label\na,1\n", "r2"),
            ("id,label\na,1\nb,1\n", "roc_auc"),
            ("id,label\na,1\nb,2\nc,3\n", "log_loss"),
        ):
            with self.subTest(truth):
                self.truth.write_text(truth)
                ended = score(self.truth, predictions, metric)
                self.assertEqual((ended.returncode, ended.stdout), (2, ""))
                self.assertIn("the truth file cannot be used", ended.stderr)

    def test_an_unknown_metric_is_refused(self) -> None:
        ended = score(self.truth, self.truth, "smoke_metric")
        self.assertEqual((ended.returncode, ended.stdout), (2, ""))
        self.assertIn("invalid choice", ended.stderr)
        for name in scorer.METRICS:
            self.assertIn(repr(name), ended.stderr)


@unittest.skipUnless(HAS_SKLEARN, "scikit-learn is not installed")
class LibraryTest(unittest.TestCase):
    """Every number is scikit-learn's, to the twelfth digit, whoever computes it."""

    def test_the_same_numbers(self) -> None:
        library = scorer_library.load()
        assert library is not None
        self.assertEqual(set(library.functions), set(scorer.METRICS))
        source = random.Random(7)
        for _ in range(40):
            rows = source.randrange(2, 60)
            labels = [str(source.randrange(source.choice((1, 3, 9)))) for _ in range(rows)]
            guesses = [str(source.randrange(9)) for _ in range(rows)]
            two = [str(number % 2) for number in range(rows)]
            source.shuffle(two)
            scores = [repr(source.choice((0.0, 0.5, 1.0, source.random()))) for _ in range(rows)]
            wide = [repr(source.gauss(3, 10) * 10 ** source.randrange(-3, 6)) for _ in range(rows)]
            for name, (own, kind, _) in scorer.METRICS.items():
                truth = {scorer.LABELS: labels, scorer.NUMBERS: wide}.get(kind, two)
                predicted = {scorer.LABELS: guesses}.get(kind, scores)
                sides = scorer._sides(
                    {str(at): value for at, value in enumerate(truth)},
                    {str(at): value for at, value in enumerate(predicted)},
                    kind,
                )
                ours, theirs = own(*sides), library.compute(name, *sides)
                close = abs(ours - theirs) <= 1e-12 * max(1.0, abs(theirs))
                self.assertTrue(close, (name, ours, theirs, sides))

    def test_what_overflows_in_the_library_is_computed_all_the_same(self) -> None:
        library = scorer_library.load()
        table = {"a": "1e300", "b": "-1e300"}
        metric = scorer._metric("rmse", table, {"a": "0", "b": "0"}, library)
        self.assertAlmostEqual(metric["value"] / 1e300, 1)

    def test_a_library_that_is_broken_is_none(self) -> None:
        with mock.patch.dict(sys.modules, {"sklearn": None}):
            self.assertIsNone(scorer_library.load())
