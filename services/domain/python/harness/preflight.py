"""Imports every file of a workspace under its real module name, as the run itself would.

Each file is imported in a forked child of its own, so that what one does on import (threads, forks,
output, exits) never reaches the next; nothing that it needs has been imported before. Answers one
JSON line per file, in the order asked. Must not execute more than imports do, write to the
workspace, or take silence for a pass. It finds mistakes; code that means to deceive can forge its
report, and malice is what the sandbox around this is for.
"""

import sys

# What a bare interpreter has loaded: the run has these too, before it sees the workspace.
AT_START = frozenset(sys.modules)

import os  # noqa: E402

# An isolated interpreter does not look where its script lies.
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

import argparse  # noqa: E402
import gc  # noqa: E402
import math  # noqa: E402
import signal  # noqa: E402
import tempfile  # noqa: E402

import landlock  # noqa: E402
import process_tree  # noqa: E402
from import_child import Question, Report, Surroundings, write_line  # noqa: E402
from in_flight import InFlight  # noqa: E402

MAX_PARALLEL = 8


def main(argv: list[str]) -> int:
    """Checks all files; returns 0 when every one of them was answered, whatever the answers."""
    asked = _parsed(argv)
    process_tree.prctl(process_tree.PR_SET_CHILD_SUBREAPER)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # A child may write where temporary files go, but not into the answers of the others.
    domain = landlock.domain([tempfile.gettempdir(), os.devnull, *asked.writable])
    question = Question(asked.root, asked.timeout, domain=domain)
    gc.freeze()
    check_all(asked, question, InFlight(Surroundings(AT_START, dict(os.environ)), warm=False))
    return 0


def check_all(asked: argparse.Namespace, question: Question, in_flight: InFlight) -> None:
    """Checks and answers every file; leaves no child behind, however it is left."""
    waiting = list(reversed(asked.files))
    answers: dict[str, Report] = {}
    unanswered = list(asked.files)
    try:
        while waiting or in_flight:
            while waiting and len(in_flight) < asked.max_parallel:
                in_flight.start(question, waiting.pop())
            in_flight.wait()
            answers.update((check.path, report) for check, report in in_flight.ended())
            while unanswered and unanswered[0] in answers:
                write_line(asked.report_fd, answers[unanswered.pop(0)])
    finally:
        in_flight.end()


def _parsed(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="preflight.py", description="Imports files, isolated.")
    parser.add_argument("--root", required=True, help="the workspace")
    parser.add_argument("--files", required=True, nargs="+", help="paths inside the workspace")
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds per file")
    parser.add_argument("--max-parallel", type=int, default=1, help="files in flight")
    parser.add_argument("--writable", nargs="*", default=[], help="folders imports may write to")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--report-fd", type=int, help="an open descriptor for the answers")
    where.add_argument("--report", help="a file for the answers")
    asked = parser.parse_args(argv)
    asked.root = os.path.realpath(asked.root)
    if not os.path.isdir(os.path.join(asked.root, "src")):
        parser.error(f"{asked.root} has no folder src")
    if not (math.isfinite(asked.timeout) and asked.timeout > 0):
        parser.error("--timeout is a number of seconds above 0")
    if not 1 <= asked.max_parallel <= MAX_PARALLEL:
        parser.error(f"--max-parallel is 1 to {MAX_PARALLEL}")
    if asked.report is not None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        asked.report_fd = os.open(asked.report, flags, 0o644)
    return asked


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
