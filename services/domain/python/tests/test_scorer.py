"""The scorer as a process of its own, over the folders in cases/scorer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import scorer
from tests import CASES, HARNESS


def score(truth: Path, predictions: Path, *metrics: str) -> subprocess.CompletedProcess[str]:
    asked = [word for metric in metrics for word in ("--metric", metric)]
    return subprocess.run(
        [
            *(sys.executable, "-I", str(HARNESS / "scorer.py")),
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
        for case, expected in self.cases("accept"):
            with self.subTest(case.name):
                ended = score(case / "truth.csv", case / "predictions.csv", *expected["metrics"])
                self.assertEqual((ended.returncode, ended.stderr), (0, ""))
                answer = json.loads(ended.stdout)
                self.assertIs(answer["ok"], True)
                names = [metric["name"] for metric in answer["metrics"]]
                self.assertEqual(names, expected["metrics"])
                rows = len((case / "truth.csv").read_text().splitlines()) - 1
                for metric, value in zip(answer["metrics"], expected["values"], strict=True):
                    self.assertAlmostEqual(metric["value"] / (value or 1), 1 if value else 0)
                    self.assertEqual(metric["count"], rows)
                    is_share = metric["name"] in ("accuracy", "f1_macro")
                    self.assertEqual(metric["unit"], "fraction" if is_share else "none")

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
            answer = scorer.scored({"a": "1"}, str(path), ["accuracy"])
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
