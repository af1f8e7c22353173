"""Lays out a workspace as an executor does, and runs its program.

Must not import anything that it lays out: what is tested runs in a process of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import SRC

NONCE = "nonce-01J"
INTERPRETER = sys.executable


@dataclass
class Ended:
    """What is seen of a program from outside."""

    status: int
    recorded: Any
    """The parsed result; None when there is none."""
    stderr: str
    predictions: dict[str, str]
    """Name → content of every predictions file."""
    names: set[str]
    """Everything that stands in the output folder."""


class Workspace:
    """A temporary workspace with the harness's own files; use it in a `with` block."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="interlock-"))
        self.root = self._folder / "workspace"
        self.inputs = self._folder / "inputs"
        self.out = self._folder / "out"
        for folder in (self.root / "src", self.inputs, self.out):
            folder.mkdir(parents=True)
        for path in SRC.glob("*.py"):
            shutil.copy(path, self.root / "src")

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder)

    def add(self, folder: Path) -> None:
        """Copies a case's `src` into the workspace."""
        shutil.copytree(folder / "src", self.root / "src", dirs_exist_ok=True)

    def files(self) -> list[str]:
        """Every Python file, in order."""
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*.py"))

    def environ(self, config: Any) -> dict[str, str]:
        """The variables that an executor sets."""
        path = self._folder / "config.json"
        path.write_text(json.dumps(config))
        return {
            "PATH": os.environ["PATH"],
            "PYTHONDONTWRITEBYTECODE": "1",
            "INTERLOCK_OUT": str(self.out),
            "INTERLOCK_NONCE": NONCE,
            "INTERLOCK_CONFIG": str(path),
            "INTERLOCK_INPUTS": str(self.inputs),
        }

    def run(self, config: Any, timeout: float = 60, **changes: str) -> Ended:
        """Runs `python src/main.py` from the workspace's root."""
        environ = {**self.environ(config), **changes}
        ended = subprocess.run(
            [INTERPRETER, "src/main.py"],
            cwd=self.root,
            env={name: value for name, value in environ.items() if value},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
        )
        recorded = self.out / "recorded.json"
        return Ended(
            status=ended.returncode,
            recorded=json.loads(recorded.read_bytes()) if recorded.is_file() else None,
            stderr=ended.stderr,
            predictions={
                path.stem: path.read_text() for path in (self.out / "predictions").glob("*")
            },
            names={path.name for path in self.out.iterdir()},
        )
