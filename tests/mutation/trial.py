"""Runs the variants of a workspace: the one thing that decides whether a fault shows at run time.

Only for code that stands in this folder and for pinned packages: there is no sandbox, just a limit.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
PREFLIGHT = HERE.parent.parent / "services/domain/python/harness/preflight.py"
TYPES = HERE.parent.parent / "services/verifier/policy/mypy.ini"
SECONDS = 30


@dataclass(frozen=True)
class Subject:
    """A correct workspace, and the command that exercises it."""

    name: str
    folder: Path
    command: tuple[str, ...]
    python: str = "/usr/bin/python3"
    spared: tuple[str, ...] = ()
    env: tuple[str, ...] = ()


class Trial:
    """A copy of a workspace that faults are put into and taken out of again."""

    def __init__(self, subject: Subject, files: dict[str, str], root: str = "src") -> None:
        self._subject = subject
        self._files = files
        self._edits = 0
        self._root = root
        self._place = Path(tempfile.mkdtemp(prefix="mutation-"))
        self._folder = self._place / "workspace"
        shutil.copytree(subject.folder, self._folder)

    def close(self) -> None:
        shutil.rmtree(self._place, ignore_errors=True)

    def fails(self, edits: dict[str, str | None]) -> str | None:
        """How the workspace fails with these edits; None where it does not."""
        self._apply(edits)
        try:
            return self._run(list(self._subject.command))
        finally:
            self._apply({path: self._files.get(path) for path in edits})

    def import_fails(self, edits: dict[str, str | None]) -> str | None:
        """What the import check says; None where every file can be imported."""
        self._apply(edits)
        report = self._place / "report"
        python = sorted(
            p for p in {*self._files, *edits} if p.endswith(".py") and (self._folder / p).is_file()
        )
        asked = [
            p for p in python if p.startswith(f"{self._root}/") and p not in self._subject.spared
        ]
        try:
            command = [
                str(PREFLIGHT),
                "--root",
                str(self._folder),
                "--report",
                str(report),
                "--files",
                *asked,
            ]
            broken = self._run([self._subject.python, "-I", *command])
            if broken:
                return broken
            for line in report.read_text().splitlines():
                answer = json.loads(line)
                if answer["outcome"] != "passed":
                    return f"{answer['path']}: {answer['exception']['message']}"
            return None
        finally:
            self._apply({path: self._files.get(path) for path in edits})

    def type_errors(self, edits: dict[str, str | None], mypy: str) -> set[str]:
        """What the types check finds, without the lines: these move with every edit."""
        self._apply(edits)
        command = [mypy, "-m", "mypy", "--config-file", str(TYPES), "--no-error-summary"]
        command += ["--cache-dir", str(self._place / "types"), "--hide-error-context"]
        files = [str(path.relative_to(self._folder)) for path in self._folder.rglob("*.py")]
        try:
            asked = subprocess.run(
                [*command, *sorted(files)], cwd=self._folder, capture_output=True, text=True
            )
            if asked.returncode not in (0, 1):
                return {asked.stderr.strip() or asked.stdout.strip()}
            lines = [line for line in asked.stdout.splitlines() if ": error: " in line]
            return {line.split(":")[0] + line.partition(": error: ")[2] for line in lines}
        finally:
            self._apply({path: self._files.get(path) for path in edits})

    def _apply(self, edits: dict[str, str | None]) -> None:
        for path, text in edits.items():
            file = self._folder / path
            if text is None:
                file.unlink(missing_ok=True)
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(text.encode())
                # mypy takes two texts of one length and one second for the same.
                self._edits += 1
                os.utime(file, (self._edits, self._edits))

    def _run(self, command: list[str]) -> str | None:
        environ = {"PATH": os.defpath, "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(self._place)}
        environ["PYTHONPATH"] = self._root if self._subject.spared or "-m" in command else ""
        process = subprocess.Popen(
            command,
            cwd=self._folder,
            env={name: value for name, value in environ.items() if value},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "it did not end"
        if process.returncode == 0:
            return None
        return last_error(output.decode(errors="replace")) or f"exit {process.returncode}"


def last_error(output: str) -> str:
    """The line that names the exception."""
    lines = [
        line.strip().removeprefix("E ").strip() for line in output.splitlines() if line.strip()
    ]
    named = [
        line for line in lines if line.split(":")[0].split("(")[0].endswith(("Error", "Exception"))
    ]
    return (named or lines or [""])[-1][:200]


if __name__ == "__main__":
    sys.exit("trial.py is a part of `run`")
