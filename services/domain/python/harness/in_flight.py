"""The parent's side of import checks: one forked child per file, a few of them at a time.

Must not execute anything of a workspace, wait for a child's pipe to close, or take silence for a
pass: a child that does not report has failed.
"""

from __future__ import annotations

import json
import os
import select
import signal
import time
from dataclasses import dataclass, field
from typing import Any

import import_child
import process_tree
from import_child import Question, Report, Surroundings, failure

MAX_REPORT = 256 * 1024
POLL_SECONDS = 0.05  # only for children that end without closing their pipe
IDLE_SECONDS = 1.0  # a signal that comes just before the wait does not end it


@dataclass
class Check:
    """One file in flight."""

    question: Question
    path: str
    pid: int
    pipe: int | None
    started: float = field(default_factory=time.monotonic)
    received: bytearray = field(default_factory=bytearray)

    @property
    def deadline(self) -> float:
        """When it has run out of time."""
        return self.started + self.question.timeout


class InFlight:
    """The checks that are running."""

    def __init__(self, around: Surroundings, warm: bool) -> None:
        self._around = around
        self._warm = warm
        self._checks: list[Check] = []

    def __len__(self) -> int:
        return len(self._checks)

    def start(self, question: Question, path: str) -> Check:
        """Forks a child that imports one file."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            import_child.run(self._around, question, path, writer)
        os.close(writer)
        os.set_blocking(reader, False)
        check = Check(question, path, child, reader)
        self._checks.append(check)
        return check

    def wait(self, also: int | None = None) -> bool:
        """Waits until something may have happened; whether `also` can be read."""
        longest = IDLE_SECONDS
        pipes = {check.pipe: check for check in self._checks if check.pipe is not None}
        if self._checks:
            soonest = min(check.deadline for check in self._checks) - time.monotonic()
            longest = max(0.0, min(POLL_SECONDS, soonest))
        descriptors = [*pipes, *([] if also is None else [also])]
        readable, _, _ = select.select(descriptors, [], [], longest)
        for descriptor in readable:
            if descriptor in pipes:
                _drain(pipes[descriptor])
        return also in readable

    def ended(self) -> list[tuple[Check, Report]]:
        """The checks that are over, whose children are gone."""
        reports = [(check, self._report(check)) for check in list(self._checks)]
        return [(check, report) for check, report in reports if report is not None]

    def end(self, question: Question | None = None) -> None:
        """Ends what belongs to a question, or everything."""
        for check in list(self._checks):
            if question is None or check.question is question:
                self._swept(check)

    def _report(self, check: Check) -> Report | None:
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT  # its number stays taken until it is reaped
        over = os.waitid(os.P_PID, check.pid, options)
        _drain(check)  # what it wrote before its end, or since
        line, newline, _ = bytes(check.received).partition(b"\n")
        if newline:
            report = _read_report(line)
        elif over is not None:
            report = _silent(check.path, over)
        elif len(check.received) > MAX_REPORT:
            report = failure("failed", "ReportError", "the report is too long", check.path)
        elif time.monotonic() >= check.deadline:
            message = f"the import did not end within {check.question.timeout:g} seconds"
            report = failure("timed_out", "TimedOut", message, check.path)
        else:
            return None
        processes = self._swept(check)
        threads = report.pop("threads", 0)
        return {
            "path": check.path,
            **report,
            "leftovers": {"processes": processes, "threads": threads},
            "warm": self._warm,
            "duration_ms": round((time.monotonic() - check.started) * 1000, 1),
        }

    def _swept(self, check: Check) -> int:
        """Takes a check out and ends all that it has left; returns how many processes."""
        self._checks.remove(check)
        if check.pipe is not None:
            os.close(check.pipe)
        return process_tree.sweep(check.pid, {other.pid for other in self._checks})


def _drain(check: Check) -> None:
    while check.pipe is not None and len(check.received) <= MAX_REPORT:
        try:
            data = os.read(check.pipe, 65536)
        except BlockingIOError:
            return
        if not data:
            os.close(check.pipe)
            check.pipe = None
            return
        check.received += data


def _read_report(line: bytes) -> Report:
    try:
        report = json.loads(line)
        return {name: report[name] for name in ("outcome", "exception", "traceback", "threads")}
    except (ValueError, KeyError, TypeError, RecursionError):
        return failure("failed", "ReportError", "the import wrote into its own report", None)


def _silent(path: str, over: Any) -> Report:
    if over.si_code == os.CLD_EXITED:
        message = f"the process ended with status {over.si_status} during the import"
        return failure("exited", "ProcessExit", message, path)
    if over.si_status == signal.SIGXCPU:
        return failure("timed_out", "TimedOut", "the import used up its processor time", path)
    return failure("killed", "Killed", f"the import died of signal {over.si_status}", path)
