"""Runs a workspace's tests with pytest, and says what became of each of them.

Writes one JSON object to the report: which pytest, its exit status, and one entry per test. Without
pytest in the environment it says so. Must not decide what a result means, and must not be steered
by the workspace: no configuration file of the workspace is read.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

MAX_MESSAGE = 2_000
MAX_TESTS = 5_000
MAX_BAD = 500

Entry = dict[str, Any]


def main() -> int:
    """Runs the tests once; the exit status says only whether the report was written."""
    asked = _parsed(sys.argv[1:])
    # Before the workspace is on the path: none of its files may stand in for a part of pytest.
    try:
        import pytest
    except ImportError as missing:
        _write(asked.report, {"pytest": None, "why": str(missing), "status": None, "tests": []})
        return 0
    os.chdir(asked.root)
    sys.path.insert(0, os.path.join(asked.root, "src"))
    sys.dont_write_bytecode = True
    seen = Seen(asked.root)
    # Without --confcutdir pytest looks into every folder above, which a sandbox may forbid.
    words = [
        *("-q", "--no-header", "-p", "no:cacheprovider", "--continue-on-collection-errors"),
        *("-c", os.devnull, "--rootdir", asked.root, "--confcutdir", asked.root),
        *("--import-mode", "append"),
        *asked.files,
    ]
    status = pytest.main(words, plugins=[seen])
    report = {
        "pytest": pytest.__version__,
        "status": int(status),
        "files": seen.files(),
        "tests": seen.entries(),
    }
    _write(asked.report, report)
    return 0


class Seen:
    """A pytest plugin that keeps one entry per test."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._entries: dict[str, Entry] = {}
        self._collected: list[str] = []

    def entries(self) -> list[Entry]:
        """In the order in which they were run, but those that went wrong first."""
        every = dict(self._entries)
        for name in self._collected:
            if name not in every:
                every[name] = _entry(name, "error")
                every[name]["message"] = "the test was collected and never run: pytest was ended"
        bad = [entry for entry in every.values() if entry["outcome"] in ("failed", "error")]
        rest = [entry for entry in every.values() if entry["outcome"] not in ("failed", "error")]
        return (bad[:MAX_BAD] + rest)[:MAX_TESTS]

    def files(self) -> list[str]:
        """The files that have a test, or that could not be read for any."""
        return sorted({name.partition("::")[0] for name in (*self._collected, *self._entries)})

    def pytest_collection_finish(self, session: Any) -> None:
        """What has to be run."""
        self._collected = [item.nodeid for item in session.items]

    def pytest_collectreport(self, report: Any) -> None:
        """A file that cannot be collected."""
        if report.failed:
            self._entries[report.nodeid] = self._bad(report, report.nodeid, "error")

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Set-up, call and tear-down each report; the worst one stands."""
        before = self._entries.get(report.nodeid)
        if before is not None and before["outcome"] in ("failed", "error"):
            return
        if report.failed:
            outcome = "failed" if report.when == "call" else "error"
            self._entries[report.nodeid] = self._bad(report, report.nodeid, outcome)
        elif report.skipped:
            self._entries[report.nodeid] = _entry(report.nodeid, "skipped")
        elif before is None:
            self._entries[report.nodeid] = _entry(report.nodeid, "passed")

    def _bad(self, report: Any, name: str, outcome: str) -> Entry:
        entry = _entry(name, outcome)
        entry["message"] = _message(report)[:MAX_MESSAGE]
        entry["frames"] = [
            {"file": file, "line": line} for file, line in self._frames(report) if file is not None
        ]
        return entry

    def _frames(self, report: Any) -> list[tuple[str | None, int]]:
        """The traceback's places in the workspace, the innermost last."""
        traceback = getattr(report.longrepr, "reprtraceback", None)
        frames = []
        for piece in getattr(traceback, "reprentries", []):
            place = getattr(piece, "reprfileloc", None)
            if place is not None:
                frames.append((self._inside(str(place.path)), int(place.lineno)))
        return frames

    def _inside(self, path: str) -> str | None:
        whole = os.path.normpath(os.path.join(self._root, path))
        inside = whole.startswith(self._root + os.sep)
        return os.path.relpath(whole, self._root) if inside else None


def _entry(name: str, outcome: str) -> Entry:
    return {"name": name, "outcome": outcome, "message": "", "frames": []}


def _message(report: Any) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        return str(crash.message)
    lines = str(report.longrepr).strip().splitlines()
    said = [line.removeprefix("E").strip() for line in lines if line.startswith("E ")]
    return "\n".join(said or lines[-12:])


def _write(path: str, report: dict[str, Any]) -> None:
    with open(path + ".part", "w", encoding="utf-8", errors="replace") as file:
        json.dump(report, file)
    os.replace(path + ".part", path)


def _parsed(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run_tests", description=__doc__)
    parser.add_argument("--root", required=True, help="the workspace")
    parser.add_argument("--report", required=True, help="the file to write")
    parser.add_argument("--files", nargs="+", required=True, help="test files, from the root")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
