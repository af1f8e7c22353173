#!/usr/bin/env python3
"""Runs hundreds of good and bad programs through a whole stack, and looks at what is left of them.

    stack.py --interlock PATH [--runs 500]

Eight runs at a time, of seven kinds. At the end every run has the outcome that its kind deserves,
the executor has no child, its folders are empty, no mount and no control group has been added, and
its memory and its descriptors are what they were after a fifth of the runs. It must not judge how
fast anything is.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent / "stack"
AT_ONCE = 8
# What becomes of each kind, as `interlock ps --json` says it: status and class of the failure.
KINDS = {
    "good": ("accepted", ""),
    "failing": ("failed", "code"),
    "hanging": ("failed", "timeout"),
    "forking": ("failed", "processes"),
    "flooding": ("failed", "output"),
    "hoarding": ("failed", "memory"),
    "daemonising": ("accepted", ""),
}
# Growth of the executor's memory, in KiB, that is put down to the allocator.
GROWTH = 16 * 1024


class Stack:
    """A stack of its own, in a folder of its own."""

    def __init__(self, interlock: str, folder: Path) -> None:
        self.interlock, self.folder = interlock, folder
        self.environ = os.environ | {"INTERLOCK_HOME": str(folder / "home")}
        self.tasks: dict[str, Path] = {}
        for kind in KINDS:
            task = folder / kind
            shutil.copytree(HERE, task)
            text = (task / "task.toml").read_text().replace("KIND", kind)
            (task / "task.toml").write_text(text)
            self.tasks[kind] = task / "task.toml"

    def command(self, *words: str) -> str:
        done = subprocess.run(
            [self.interlock, *words], env=self.environ, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            sys.exit(f"interlock {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def runs(self) -> list[dict]:
        lines = self.command("ps", "--json").splitlines()
        return [line for line in map(json.loads, lines) if line["kind"] == "run"]

    def executor(self) -> Path:
        """The executor's folder in /proc."""
        own = str(self.folder / "home" / "run" / "executor.toml").encode()
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if own in words and words[0].endswith(b"interlock-executor"):
                return entry
        sys.exit("there is no executor")


def memory(process: Path) -> int:
    """Resident memory of its own, in KiB."""
    for line in (process / "status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def children(process: Path) -> list[str]:
    """Processes directly below it."""
    found = []
    for task in (process / "task").iterdir():
        found += (task / "children").read_text().split()
    return found


def groups() -> int:
    """Control groups of supervisors that are gone; a fork server's lives as long as it does."""
    made = Path("/sys/fs/cgroup").rglob("interlock-[0-9]*")
    return sum(not Path("/proc", group.name.removeprefix("interlock-")).exists() for group in made)


def mounts() -> int:
    """File systems that are mounted."""
    return len(Path("/proc/mounts").read_text().splitlines())


def state(process: Path) -> dict[str, int]:
    """What must not grow."""
    return {
        "memory": memory(process),
        "descriptors": len(list((process / "fd").iterdir())),
        "threads": len(list((process / "task").iterdir())),
    }


def drive(stack: Stack, wanted: int) -> tuple[dict[str, int], dict[str, int]]:
    """Has all runs done; answers the executor's state after a fifth of them and at the end."""
    kinds = list(KINDS)
    submitted, early = 0, None
    while True:
        runs = stack.runs()
        ended = sum(run["status"] not in ("active", "waiting") for run in runs)
        if early is None and ended >= max(wanted // 5, 1):
            early = state(stack.executor())
            print(f"after {ended} runs: {early}", flush=True)
        if ended == wanted:
            break
        while submitted < wanted and submitted - ended < AT_ONCE:
            stack.command("run", "--detach", str(stack.tasks[kinds[submitted % len(kinds)]]))
            submitted += 1
        time.sleep(0.3)
    time.sleep(2)
    return early or {}, state(stack.executor())


def complaints(
    stack: Stack, early: dict[str, int], late: dict[str, int], mounted: int
) -> list[str]:
    """Everything that is not as it should be."""
    found = []
    outcomes: Counter[str] = Counter()
    for run in stack.runs():
        kind = run["task"].removeprefix("soak-")
        outcomes[f"{kind}: {run['status']} {run['failure']}".strip()] += 1
        if (run["status"], run["failure"]) != KINDS[kind]:
            found.append(f"run {run['run']} ({kind}) ended as {run['status']} {run['failure']}")
    print("\n".join(f"{count:5}  {outcome}" for outcome, count in sorted(outcomes.items())))
    executor = stack.executor()
    if left := children(executor):
        found.append(f"the executor has children: {left}")
    for folder in ("executions", "checkpoints", "sandbox"):
        place = stack.folder / "home" / "scratch" / "executor" / folder
        if place.is_dir() and (left := sorted(place.iterdir())):
            found.append(f"{folder}: {left}")
    if groups():
        found.append(f"{groups()} control groups are left")
    if mounts() > mounted:
        found.append(f"{mounts() - mounted} file systems are still mounted")
    if late["memory"] > early["memory"] + GROWTH:
        found.append(f"the executor's memory grew from {early['memory']} to {late['memory']} KiB")
    found += [
        f"{what} grew from {early[what]} to {late[what]}"
        for what in ("descriptors", "threads")
        if late[what] > early[what] + AT_ONCE
    ]
    return found


def main() -> int:
    """Starts the stack, drives it, and says what is left."""
    parser = argparse.ArgumentParser(description="What is left of hundreds of runs?")
    parser.add_argument("--interlock", required=True)
    parser.add_argument("--runs", type=int, default=500)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="interlock-soak-") as folder:
        stack = Stack(asked.interlock, Path(folder))
        mounted = mounts()
        stack.command("up", "--answers", str(HERE / "answers"))
        try:
            early, late = drive(stack, asked.runs)
            print(f"after {asked.runs} runs: {late}", flush=True)
            found = complaints(stack, early, late, mounted)
        finally:
            stack.command("down")
    print("\n".join(found) or "nothing is left")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
