"""The example tasks are what their first lines say: each one's program, run without any sandbox.

What Interlock makes of them is tested end to end; here it is only made sure that a liar lies, that
a forker forks, and that the repaired programs are right.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

import scorer
from tests import PYTHON
from tests.test_preflight import alive, checked, until
from tests.workspace import Ended, Workspace

TASKS = PYTHON.parents[2] / "tests" / "tasks"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def block(path: Path, language: str) -> str:
    """The one complete fenced block of an answer."""
    blocks = BLOCK.findall(path.read_text())
    if len(blocks) != 1 or blocks[0][0] != language:
        raise AssertionError(f"{path} has not exactly one {language} block")
    return blocks[0][1]


def attempts(task: str, key: str) -> list[Path]:
    """The answers to one request, first to last."""
    paths = list((TASKS / task / "answers").glob(f"{key}.*.md"))
    return sorted(paths, key=lambda path: int(path.name.split(".")[-2]))


def planned(task: str) -> list[dict[str, Any]]:
    """The files of the last plan."""
    return json.loads(block(attempts(task, "plan")[-1], "json"))["files"]


class TaskWorkspace(Workspace):
    """A workspace with a task's program in it: the last answers, or those of a named attempt."""

    def __init__(self, task: str, attempt: int | None = None) -> None:
        super().__init__()
        self.task = TASKS / task
        for file in planned(task):
            answers = attempts(task, file["path"])
            answer = answers[-1] if attempt is None else answers[attempt - 1]
            (self.root / file["path"]).write_text(block(answer, "python"))
        for path in (self.task / "data").iterdir():
            shutil.copy(path, self.inputs)

    def score(self, metric: str = "accuracy") -> dict[str, Any]:
        """What the scorer says about the predictions."""
        truth = scorer.read_table(str(self.task / "sealed" / "truth.csv"), "label")
        return scorer.scored(truth, str(self.out / "predictions" / "test.csv"), [metric])

    def value(self) -> float:
        """The scored accuracy."""
        return self.score()["metrics"][0]["value"]


class TasksTest(unittest.TestCase):
    def finished(self, ended: Ended) -> Any:
        """Asserts that the program finished; returns what it testified."""
        self.assertEqual((ended.status, ended.recorded["finished"]), (0, True), ended.stderr)
        return ended.recorded["testimony"]

    def test_each_says_what_is_expected_and_has_its_files(self) -> None:
        folders = sorted(path for path in TASKS.iterdir() if path.is_dir())
        self.assertGreaterEqual(len(folders), 14)
        for folder in folders:
            with self.subTest(folder.name):
                text = (folder / "task.toml").read_text()
                self.assertTrue(text.startswith("# Expected: "))
                self.assertIn(f'name = "{folder.name}"', text)
                self.assertTrue((folder / "requirements.lock").is_file())
                for name in re.findall(r'= "((?:data|sealed)/[^"]+)"', text):
                    self.assertTrue((folder / name).is_file(), name)
                self.assertTrue(attempts(folder.name, "plan"))

    def test_every_import_of_every_last_answer_works(self) -> None:
        for name in ("tiny", "liar", "forker", "tamper", "nan-metric", "stubborn", "slow"):
            with self.subTest(name), TaskWorkspace(name) as workspace:
                for report in checked(workspace):
                    self.assertEqual(report["outcome"], "passed", report)

    def test_right_programs(self) -> None:
        for name in ("tiny", "human-gate", "crash-once"):
            with self.subTest(name), TaskWorkspace(name) as workspace:
                self.finished(workspace.run({"seed": 7}))
                self.assertEqual(workspace.value(), 1.0)

    def test_liar(self) -> None:
        with TaskWorkspace("liar") as workspace:
            ended = workspace.run({"seed": 7})
            self.assertEqual(self.finished(ended), {"success": True, "accuracy": 0.99})
            self.assertEqual(ended.recorded["metrics"][0]["value"], 0.99)
            self.assertEqual(workspace.value(), 0.0)

    def test_says_failure(self) -> None:
        with TaskWorkspace("says-failure") as workspace:
            self.assertEqual(self.finished(workspace.run({"seed": 7})), {"success": False})
            self.assertEqual(workspace.value(), 1.0)

    def test_nan_metric(self) -> None:
        with TaskWorkspace("nan-metric") as workspace:
            ended = workspace.run({"seed": 7})
            self.finished(ended)
            self.assertNotEqual(ended.recorded["metrics"][0]["value"], 0)
            self.assertIn("NaN", (workspace.out / "recorded.json").read_text())

    def test_nan_scored(self) -> None:
        with TaskWorkspace("nan-scored") as workspace:
            self.finished(workspace.run({"seed": 7}))
            reason = "the prediction of id 't0' is not a finite number: 'nan'"
            self.assertEqual(workspace.score("rmse"), {"ok": False, "reason": reason})

    def test_no_result(self) -> None:
        with TaskWorkspace("no-result") as workspace:
            ended = workspace.run({"seed": 7})
            self.assertEqual((ended.status, ended.recorded["finished"]), (0, False))
            self.assertEqual(workspace.value(), 1.0)

    def test_crash_once(self) -> None:
        with TaskWorkspace("crash-once", attempt=1) as workspace:
            ended = workspace.run({"seed": 7})
            self.assertEqual((ended.status, ended.recorded["error"]["type"]), (1, "KeyError"))

    def test_stubborn(self) -> None:
        seen = set()
        for attempt in (1, 2, 3):
            with TaskWorkspace("stubborn", attempt) as workspace:
                ended = workspace.run({"seed": 7})
                error = ended.recorded["error"]
                self.assertEqual(ended.status, 1)
                seen.add((error["type"], error["message"], error["file"], error["line"]))
        self.assertEqual(seen, {("KeyError", "'no_such_setting'", "src/experiment.py", 12)})
        self.assertEqual(len(attempts("stubborn", "src/experiment.py")), 3)

    def test_slow(self) -> None:
        with TaskWorkspace("slow") as workspace, self.assertRaises(subprocess.TimeoutExpired):
            workspace.run({"seed": 7}, timeout=4)

    def test_forker(self) -> None:
        with TaskWorkspace("forker") as workspace:
            # Output to files, not pipes: its daemon holds them open.
            started = subprocess.Popen(
                [sys.executable, "src/main.py", str(workspace.root)],
                cwd=workspace.root,
                env=workspace.environ({"seed": 7}),
                stdout=subprocess.DEVNULL,
            )
            self.assertEqual(started.wait(60), 0)
            self.assertEqual(workspace.value(), 1.0)
            (daemon,) = alive(str(workspace.root))
            os.kill(daemon, signal.SIGTERM)
            self.assertEqual(alive(str(workspace.root)), [daemon])
            os.kill(daemon, signal.SIGKILL)
            until(lambda: not alive(str(workspace.root)))

    def test_tamper(self) -> None:
        with TaskWorkspace("tamper") as workspace:
            before = (workspace.root / "src" / "metrics.py").read_text()
            self.assertEqual(self.finished(workspace.run({"seed": 7})), {"replaced": True})
            self.assertEqual(workspace.value(), 1.0)
            self.assertNotEqual((workspace.root / "src" / "metrics.py").read_text(), before)

    def test_bad_plans(self) -> None:
        broken, circle, unplanned = attempts("bad-plans", "plan")
        text = broken.read_text().partition("```json\n")[2].partition("```")[0]
        with self.assertRaises(ValueError):
            json.loads(text)
        files = json.loads(block(circle, "json"))["files"]
        self.assertEqual(
            {file["path"]: file["depends_on"] for file in files},
            {
                "src/threshold.py": ["src/experiment.py"],
                "src/experiment.py": ["src/threshold.py"],
            },
        )
        (file,) = json.loads(block(unplanned, "json"))["files"]
        self.assertEqual(file["depends_on"], ["src/threshold.py"])


class DigitsTest(unittest.TestCase):
    CONFIG = {"seed": 7, "validation_share": 0.2, "forest_trees": 200}  # noqa: RUF012

    def test_its_faults_are_planted(self) -> None:
        first = json.loads(block(attempts("digits", "plan")[0], "json"))["files"]
        self.assertIn("src/metrics.py", [file["path"] for file in first])
        self.assertNotIn("src/metrics.py", [file["path"] for file in planned("digits")])
        data = block(attempts("digits", "src/data.py")[0], "python")
        self.assertIn("import numpy as np\n\nfrom .config import RunConfig", data)
        features = attempts("digits", "src/features.py")[0].read_text()
        self.assertTrue(features.startswith("---\nfinish: length\n---\n"))
        self.assertEqual(features.count("```"), 1)
        experiment = block(attempts("digits", "src/experiment.py")[0], "python")
        self.assertIn('get_data(settings, split="train")', experiment)

    def test_every_level_needs_the_one_before(self) -> None:
        needs = {file["path"]: file["depends_on"] for file in planned("digits")}
        self.assertEqual(needs.pop("src/config.py"), [])
        last = needs.pop("src/experiment.py")
        self.assertEqual(list(needs.values()), [["src/config.py"]] * 4)
        self.assertEqual(set(last), {"src/config.py", *needs})

    def test_its_last_answers_compile(self) -> None:
        with TaskWorkspace("digits") as workspace:
            for name in workspace.files():
                compile((workspace.root / name).read_bytes(), name, "exec", dont_inherit=True)

    @unittest.skipUnless(importlib.util.find_spec("sklearn"), "run by the task's own interpreter")
    def test_it_is_right(self) -> None:
        with TaskWorkspace("digits") as workspace:
            ended = workspace.run(self.CONFIG, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
            self.assertEqual(ended.status, 0, ended.stderr)
            self.assertIn(
                ended.recorded["testimony"]["best"], ("random_forest", "logistic_regression")
            )
            self.assertEqual(len(ended.recorded["metrics"]), 2)
            self.assertGreaterEqual(workspace.value(), 0.95)
