"""What is kept of a test run. That pytest is driven rightly, the example task `tested` shows."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import run_tests
from tests import HARNESS


def crash(message: str, *places: tuple[str, int]) -> SimpleNamespace:
    entries = [
        SimpleNamespace(reprfileloc=SimpleNamespace(path=path, lineno=line))
        for path, line in places
    ]
    return SimpleNamespace(
        reprcrash=SimpleNamespace(message=message),
        reprtraceback=SimpleNamespace(reprentries=entries),
    )


def report(name: str, when: str, outcome: str, longrepr: object = "") -> SimpleNamespace:
    return SimpleNamespace(
        nodeid=name,
        when=when,
        failed=outcome == "failed",
        skipped=outcome == "skipped",
        longrepr=longrepr,
    )


class RunTests(unittest.TestCase):
    def outcomes(self, *reports: SimpleNamespace) -> dict[str, str]:
        seen = run_tests.Seen("/w")
        for each in reports:
            seen.pytest_runtest_logreport(each)
        return {entry["name"]: entry["outcome"] for entry in seen.entries()}

    def test_the_worst_report_of_a_test_stands(self) -> None:
        self.assertEqual(
            self.outcomes(
                report("a", "setup", "passed"),
                report("a", "call", "passed"),
                report("a", "teardown", "failed"),
                report("b", "setup", "passed"),
                report("b", "call", "failed"),
                report("b", "teardown", "passed"),
                report("c", "setup", "skipped"),
                report("d", "setup", "failed"),
                report("e", "call", "passed"),
            ),
            {"a": "error", "b": "failed", "c": "skipped", "d": "error", "e": "passed"},
        )

    def test_a_test_that_was_collected_and_never_run_has_not_passed(self) -> None:
        seen = run_tests.Seen("/w")
        items = [SimpleNamespace(nodeid="a"), SimpleNamespace(nodeid="b")]
        seen.pytest_collection_finish(SimpleNamespace(items=items))
        seen.pytest_runtest_logreport(report("a", "call", "passed"))
        self.assertEqual(seen.files(), ["a", "b"])
        outcomes = {entry["name"]: entry["outcome"] for entry in seen.entries()}
        self.assertEqual(outcomes, {"a": "passed", "b": "error"})

    def test_of_too_many_those_that_went_wrong_are_kept(self) -> None:
        seen = run_tests.Seen("/w")
        for number in range(run_tests.MAX_TESTS):
            seen.pytest_runtest_logreport(report(f"t{number}", "call", "passed"))
        seen.pytest_runtest_logreport(report("last", "call", "failed", crash("boom")))
        entries = seen.entries()
        self.assertEqual((len(entries), entries[0]["name"]), (run_tests.MAX_TESTS, "last"))

    def test_only_places_in_the_workspace_are_kept(self) -> None:
        seen = run_tests.Seen("/w")
        places = [
            ("tests/test_a.py", 5),
            ("/w/src/a.py", 2),
            ("/env/lib/x.py", 9),
            ("../w2/y.py", 1),
        ]
        seen.pytest_runtest_logreport(report("t", "call", "failed", crash("boom", *places)))
        (entry,) = seen.entries()
        self.assertEqual(
            entry["frames"],
            [{"file": "tests/test_a.py", "line": 5}, {"file": "src/a.py", "line": 2}],
        )
        self.assertEqual(entry["message"], "boom")

    def test_a_file_that_cannot_be_collected_is_an_error_with_its_cause(self) -> None:
        seen = run_tests.Seen("/w")
        text = "Traceback:\nsomewhere\nE   ImportError: no name\nE   (from x)"
        seen.pytest_collectreport(report("tests/test_a.py", "collect", "failed", text))
        (entry,) = seen.entries()
        self.assertEqual(
            (entry["outcome"], entry["message"]), ("error", "ImportError: no name\n(from x)")
        )

    def test_without_pytest_it_says_so(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.json"
            words = ["--root", folder, "--report", str(path), "--files", "test_x.py"]
            # Without the site module nothing but the standard library can be imported.
            subprocess.run(
                [sys.executable, "-I", "-S", str(HARNESS / "run_tests.py"), *words],
                check=True,
                timeout=60,
            )
            answer = json.loads(path.read_text())
            self.assertIsNone(answer["pytest"])
            self.assertIn("pytest", answer["why"])
            self.assertEqual(answer["tests"], [])


if __name__ == "__main__":
    unittest.main()
