"""Answers checks from one process that has loaded an environment's packages already.

Reads requests from one named pipe and writes answers to another, a JSON object a line:
    {"id": 0, "load": ["numpy", ..]}
    {"id": 1, "folder": "a/work", "files": [..], "timeout": 30, "memory": 536870912}
    {"id": 2, .., "files": [], "compile": [..]}
    {"cancel": 1}
and answers {"id", "path", "outcome", ..} for every file (one with an empty path for all that are to
be compiled), then {"id", "done": true}; or, once, {"id", "cold": why} where a fresh interpreter has
to be asked. After {"id", "spoiled": name} it ends: that module must not be loaded here. First of
all it says whether it serves: {"ready": true, "python": ..} or {"ready": false, "why": ..}.

Serves many workspaces, so a child sees and reaches nothing but its own: it enters a landlock domain
first, and writes nowhere. Only a pass from here counts; whoever asks decides everything else anew.
"""

import sys

# What a bare interpreter has loaded: the run has these too, before it sees the workspace.
AT_START = frozenset(sys.modules)

import os  # noqa: E402

# An isolated interpreter does not look where its script lies.
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

import argparse  # noqa: E402
import gc  # noqa: E402
import json  # noqa: E402
import platform  # noqa: E402
import signal  # noqa: E402
from collections import deque  # noqa: E402
from typing import Any  # noqa: E402

import landlock  # noqa: E402
import process_tree  # noqa: E402
from import_child import (  # noqa: E402
    Question,
    Surroundings,
    forget,
    leave_own_folder,
    workspace_names,
    write_line,
)
from in_flight import Check, InFlight  # noqa: E402
from preloaded import Preloaded  # noqa: E402

MAX_REQUEST = 4 << 20
SPOILED = 3
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def main(argv: list[str]) -> int:
    """Serves until the pipe of requests ends; returns 3 when it may not serve."""
    asked = _parsed(argv)
    requests = os.open(asked.requests, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    answers = os.open(asked.answers, os.O_WRONLY | os.O_CLOEXEC)
    around = Surroundings(AT_START, dict(os.environ))
    leave_own_folder()
    obstacle = _obstacle()
    if obstacle is not None:
        write_line(answers, {"ready": False, "why": obstacle})
        return SPOILED
    process_tree.prctl(process_tree.PR_SET_CHILD_SUBREAPER)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    write_line(answers, {"ready": True, "python": platform.python_version()})
    forget(AT_START)
    server = Server(asked, Preloaded(AT_START), InFlight(around, warm=True), answers)
    try:
        return server.serve(requests)
    finally:
        server.in_flight.end()


class Server:
    """The requests that are open, in the order in which they came."""

    def __init__(
        self, asked: argparse.Namespace, loaded: Preloaded, in_flight: InFlight, answers: int
    ) -> None:
        self._asked = asked
        self._loaded = loaded
        self.in_flight = in_flight
        self._answers = answers
        self._waiting: deque[tuple[int, Question, str]] = deque()
        self._open: dict[int, tuple[Question, int]] = {}  # with the number of files to come

    def serve(self, requests: int) -> int:
        """Answers until nobody can ask any more, or no child may be forked any more."""
        received = bytearray()
        while True:
            while self._waiting and len(self.in_flight) < self._asked.max_parallel:
                _, question, path = self._waiting.popleft()
                self.in_flight.start(question, path)
            if self.in_flight.wait(also=requests):
                data = os.read(requests, 65536)
                if not data:
                    return 0
                received += data
                *lines, rest = received.split(b"\n")
                received = bytearray(rest)
                if len(received) > MAX_REQUEST:
                    raise ValueError("a request is too long")
                for line in lines:
                    if not self._take(json.loads(line)):
                        return SPOILED
            for check, report in self.in_flight.ended():
                self._answer(check, report)

    def _take(self, request: dict[str, Any]) -> bool:
        """Takes a request up; False when that was the last one."""
        if "cancel" in request:
            self._close(int(request["cancel"]))
            return True
        number = int(request["id"])
        if "load" in request:
            return self._load(number, [str(name) for name in request["load"]])
        root = os.path.realpath(os.path.join(self._asked.root, request["folder"]))
        files = [str(path) for path in request["files"]]
        clashes = self._loaded.clashes(workspace_names(root))
        if files and clashes:
            why = f"the workspace's {', '.join(sorted(clashes))} hides a module of the environment"
            write_line(self._answers, {"id": number, "cold": why})
            return True
        readable = [*self._asked.readable, *DEVICES, root]
        domain = landlock.domain([os.devnull], readable)
        sources = tuple(str(path) for path in request.get("compile", ()))
        timeout, memory = float(request["timeout"]), int(request["memory"])
        question = Question(root, timeout, memory, domain, sources)
        # Sources to compile take one child, which has no file of its own to name.
        paths = [""] if sources else files
        self._open[number] = (question, len(paths))
        self._waiting.extend((number, question, path) for path in paths)
        if not paths:
            self._close(number)
        return True

    def _load(self, number: int, names: list[str]) -> bool:
        spoiled = self._loaded.load(names)
        if spoiled is not None:
            write_line(self._answers, {"id": number, "spoiled": spoiled})
            return False
        gc.collect()
        gc.freeze()
        write_line(self._answers, {"id": number, "done": True})
        return True

    def _answer(self, check: Check, report: dict[str, Any]) -> None:
        for number, (question, left) in list(self._open.items()):
            if question is check.question:
                write_line(self._answers, {"id": number, **report})
                self._open[number] = (question, left - 1)
                if left == 1:
                    self._close(number)

    def _close(self, number: int) -> None:
        if number not in self._open:
            return  # it was answered while the word was under way
        question, left = self._open.pop(number)
        if left:
            self._waiting = deque(entry for entry in self._waiting if entry[0] != number)
            self.in_flight.end(question)
        if question.domain is not None:
            os.close(question.domain)
        write_line(self._answers, {"id": number, "done": True})


def _obstacle() -> str | None:
    """Why no child may be forked here at all."""
    if process_tree.threads() != 1:
        return "threads cannot be counted: /proc is hidden"
    made = landlock.domain([])
    if made is None:
        return f"landlock {landlock.REQUIRED_ABI} is not there"
    os.close(made)
    return None


def _parsed(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fork_server.py", description="Imports files, warm.")
    parser.add_argument("--root", required=True, help="the folder with all workspaces")
    parser.add_argument("--requests", required=True, help="a named pipe to read requests from")
    parser.add_argument("--answers", required=True, help="a named pipe to write answers to")
    parser.add_argument("--max-parallel", type=int, default=1, help="files in flight")
    parser.add_argument("--readable", nargs="*", default=[], help="what children may read besides")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
