"""Imports every file of a workspace under its real module name, as the run itself would.

Each file is imported in a forked child of its own, so that what one does on import (threads, forks,
output, exits) never reaches the next. Answers one JSON line per file, in the order asked.
Must not execute more than imports do, write to the workspace, or take silence for a pass: a child
that does not report has failed. It finds mistakes; code that means to deceive can forge its report,
and malice is what the sandbox around this is for.
"""

import sys

# What a bare interpreter has loaded: the run has these too, before it sees the workspace.
AT_START = frozenset(sys.modules)

import argparse  # noqa: E402
import contextlib  # noqa: E402
import ctypes  # noqa: E402
import gc  # noqa: E402
import importlib.util  # noqa: E402
import json  # noqa: E402
import math  # noqa: E402
import os  # noqa: E402
import resource  # noqa: E402
import select  # noqa: E402
import signal  # noqa: E402
import time  # noqa: E402
import traceback  # noqa: E402
import types  # noqa: E402
from typing import Any  # noqa: E402

HARNESS_OWNED = ("src/arguments.py", "src/main.py", "src/metrics.py", "src/recorder.py")
MAX_REPORT = 256 * 1024
MAX_FRAMES = 40
MAX_MESSAGE = 4_000
POLL_SECONDS = 0.05  # only for children that end without closing their pipe
SWEEP_SECONDS = 5.0
MAX_PARALLEL = 8

# More than one thread in the parent makes a forked child hang sooner or later.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

Report = dict[str, Any]


def main(argv: list[str]) -> int:
    """Checks all files; returns 0 when every one of them was answered, whatever the answers."""
    asked = _parsed(argv)
    environ = dict(os.environ)
    warm = bool(asked.preload) and not asked.cold
    if warm and not _preloaded(asked.root, asked.preload):
        os.environ.clear()
        os.environ.update(environ)
        # What has been imported, and its threads, cannot be undone: begin again without.
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:], "--cold"])
    _prctl(PR_SET_CHILD_SUBREAPER)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    gc.freeze()
    Checks(asked, environ, warm).run()
    return 0


def _parsed(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="preflight.py", description="Imports files, isolated.")
    parser.add_argument("--root", required=True, help="the workspace")
    parser.add_argument("--files", required=True, nargs="+", help="paths inside the workspace")
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds per file")
    parser.add_argument("--max-parallel", type=int, default=1, help="files in flight")
    parser.add_argument("--preload", nargs="*", default=[], help="packages to import once")
    parser.add_argument("--cold", action="store_true", help="do not preload after all")
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


def _preloaded(root: str, names: list[str]) -> bool:
    """Imports what the files will need; False when children must not be forked from that."""
    own = _workspace_names(root)
    if not own.isdisjoint(name.partition(".")[0] for name in names):
        return False
    os.environ.update(ONE_THREAD)
    before = _top_levels()
    _leave_own_folder()
    for name in names:
        with contextlib.suppress(Exception):  # the file that needs it will fail, and say so
            importlib.import_module(name)
    # A dependency's dependency may bear the name of a workspace file as well.
    return own.isdisjoint(_top_levels() - before) and _threads() == 1


def _workspace_names(root: str) -> set[str]:
    return {name.partition(".")[0] for name in os.listdir(os.path.join(root, "src"))}


def _top_levels() -> set[str]:
    return {name.partition(".")[0] for name in sys.modules}


def _threads() -> int:
    """Threads of this process; 0 when the kernel does not let us see."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 0


class Check:
    """One file in flight."""

    def __init__(self, path: str, timeout: float) -> None:
        self.path = path
        self.pid = 0
        self.started = time.monotonic()
        self.deadline = self.started + timeout
        self.pipe: int | None = None
        self.received = bytearray()


class Checks:
    """All files of one request: at most so many in flight, answers in the order asked."""

    def __init__(self, asked: argparse.Namespace, environ: dict[str, str], warm: bool) -> None:
        self._asked = asked
        self._environ = environ
        self._warm = warm
        self._in_flight: list[Check] = []

    def run(self) -> None:
        """Checks and answers everything; leaves no child behind, however it is left."""
        waiting = list(reversed(self._asked.files))
        answers: dict[str, Report] = {}
        unanswered = list(self._asked.files)
        try:
            while waiting or self._in_flight:
                while waiting and len(self._in_flight) < self._asked.max_parallel:
                    self._start(waiting.pop())
                self._read()
                for check in list(self._in_flight):
                    report = self._ended(check)
                    if report is not None:
                        answers[check.path] = report
                while unanswered and unanswered[0] in answers:
                    _write_line(self._asked.report_fd, answers[unanswered.pop(0)])
        finally:
            while self._in_flight:
                self._sweep(self._in_flight.pop())

    def _start(self, path: str) -> None:
        check = Check(path, self._asked.timeout)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            _child(self._asked, self._environ, path, writer)
        os.close(writer)
        os.set_blocking(reader, False)
        check.pid, check.pipe = child, reader
        self._in_flight.append(check)

    def _read(self) -> None:
        pipes = {check.pipe: check for check in self._in_flight if check.pipe is not None}
        soonest = min(check.deadline for check in self._in_flight) - time.monotonic()
        readable, _, _ = select.select(list(pipes), [], [], max(0.0, min(POLL_SECONDS, soonest)))
        for pipe in readable:
            _drain(pipes[pipe])

    def _ended(self, check: Check) -> Report | None:
        """The report on a check that is over, whose children are gone; None while it goes on."""
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT  # its number stays taken until it is reaped
        over = os.waitid(os.P_PID, check.pid, options)
        _drain(check)  # what it wrote before its end, or since
        line, newline, _ = bytes(check.received).partition(b"\n")
        if newline:
            report = _read_report(line)
        elif over is not None:
            report = _silent(check.path, over)
        elif len(check.received) > MAX_REPORT:
            report = _failure("failed", "ReportError", "the report is too long", check.path)
        elif time.monotonic() >= check.deadline:
            message = f"the import did not end within {self._asked.timeout:g} seconds"
            report = _failure("timed_out", "TimedOut", message, check.path)
        else:
            return None
        self._in_flight.remove(check)
        processes = self._sweep(check)
        threads = report.pop("threads", 0)
        return {
            "path": check.path,
            **report,
            "leftovers": {"processes": processes, "threads": threads},
            "warm": self._warm,
            "duration_ms": round((time.monotonic() - check.started) * 1000, 1),
        }

    def _sweep(self, check: Check) -> int:
        """Kills all that a check has left; returns how many processes besides its own."""
        if check.pipe is not None:
            os.close(check.pipe)
        found: set[int] = set()
        running = {other.pid for other in self._in_flight}
        until = time.monotonic() + SWEEP_SECONDS
        found.update(_strays(check.pid, running))
        _kill_group(check.pid)
        os.waitpid(check.pid, 0)
        while time.monotonic() < until:
            strays = _strays(check.pid, running)
            if not strays:
                break
            for pid in strays:
                found.add(pid)
                _kill(pid)
                _reap(pid)
        return len(found)


def _write_line(descriptor: int, report: Report) -> None:
    data = json.dumps(report).encode("ascii") + b"\n"
    while data:
        data = data[os.write(descriptor, data) :]


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
        return _failure("failed", "ReportError", "the import wrote into its own report", None)


def _silent(path: str, over: Any) -> Report:
    if over.si_code == os.CLD_EXITED:
        message = f"the process ended with status {over.si_status} during the import"
        return _failure("exited", "ProcessExit", message, path)
    if over.si_status == signal.SIGXCPU:
        return _failure("timed_out", "TimedOut", "the import used up its processor time", path)
    return _failure("killed", "Killed", f"the import died of signal {over.si_status}", path)


def _failure(outcome: str, kind: str, message: str, path: str | None) -> Report:
    exception = _exception(kind, message, path)
    return {"outcome": outcome, "exception": exception, "traceback": [], "threads": 0}


def _exception(
    kind: str, message: str, file: str | None, line: int | None = None, missing: str | None = None
) -> Report:
    return dict(type=kind, message=message, file=file, line=line, missing_module=missing)


def _processes() -> dict[int, tuple[str, int, int]]:
    """pid → (state, parent, session) of every process that can be seen."""
    seen: dict[int, tuple[str, int, int]] = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return seen  # no view: the process group has been killed, the sandbox ends the rest
    for name in names:
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue  # it has just ended
        seen[int(name)] = (fields[0].decode(), int(fields[1]), int(fields[3]))
    return seen


def _strays(leader: int, running: set[int]) -> set[int]:
    """Living processes that came from `leader`: below it, in its session, or orphaned to us.

    An orphan in a session of its own bears no name of its origin: with several checks in flight it
    is ended, and counted, with the first of them that is over.
    """
    seen = _processes()
    me = os.getpid()
    strays: set[int] = set()
    for pid, (state, parent, session) in seen.items():
        if pid in (me, leader) or pid in running:
            continue
        if state == "Z":
            if parent == me:
                _reap(pid)
            continue
        top = _top(pid, leader, seen, me)
        _, top_parent, top_session = seen[top]
        is_orphan = top_parent == me and top not in running and top_session not in running
        if session == leader or top == leader or is_orphan:
            strays.add(pid)
    return strays


def _top(pid: int, leader: int, seen: dict[int, tuple[str, int, int]], me: int) -> int:
    """The ancestor that is `leader` or a child of ours; else the farthest one in sight."""
    for _ in range(len(seen)):  # bounded: the snapshot was not taken in one instant
        parent = seen[pid][1]
        if pid == leader or parent == me or parent not in seen:
            break
        pid = parent
    return pid


def _kill(pid: int) -> None:
    with contextlib.suppress(OSError):  # already gone
        os.kill(pid, signal.SIGKILL)


def _kill_group(leader: int) -> None:
    _kill(leader)  # it may not have come to lead its group yet
    with contextlib.suppress(OSError):  # already gone
        os.killpg(leader, signal.SIGKILL)


def _reap(pid: int) -> None:
    with contextlib.suppress(OSError):  # not our child: whoever is its parent reaps it
        os.waitpid(pid, os.WNOHANG)


def _prctl(option: int, value: int = 1) -> None:
    with contextlib.suppress(OSError, AttributeError):  # the supervisor outside ends what is left
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _child(asked: argparse.Namespace, environ: dict[str, str], path: str, pipe: int) -> None:
    """Imports one file, reports, ends; never returns."""
    try:
        process = os.getpid()
        try:
            _isolate(asked, environ, pipe)
        except Exception as broken:  # not the file's fault, and must not look like it
            report = _failure("not_run", "SetupError", f"preflight: {broken!r}", None)
        else:
            report = _imported(asked.root, path)
        if os.getpid() == process:  # a fork that came back through the import is silent
            report["threads"] = max(0, _threads() - 1)
            _write_line(pipe, report)
    finally:
        os._exit(0)


def _isolate(asked: argparse.Namespace, environ: dict[str, str], pipe: int) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.setsid()
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    seconds = math.ceil(asked.timeout) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    most = seconds + 1 if hard == resource.RLIM_INFINITY else min(seconds + 1, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (min(seconds, most), most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    for descriptor in _descriptors():
        if descriptor > 2 and descriptor != pipe:
            with contextlib.suppress(OSError):  # the listing's own, or never open
                os.close(descriptor)

    # From here on as `python src/main.py` would be, started in the workspace.
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(asked.root)
    src = os.path.join(asked.root, "src")
    _leave_own_folder()
    sys.path.insert(0, src)
    sys.argv = [os.path.join("src", "main.py")]
    sys.dont_write_bytecode = True
    main_module = types.ModuleType("__main__")
    main_module.__file__ = os.path.join(src, "main.py")
    own = _workspace_names(asked.root)
    for name in list(sys.modules):
        # This tool's imports must not stand in for a workspace file of the same name.
        if name.partition(".")[0] in own and name not in AT_START:
            del sys.modules[name]
    sys.modules["__main__"] = main_module


def _descriptors() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:
        return list(range(3, 256))


def _leave_own_folder() -> None:
    """Takes this file's folder off the search path, where a non-isolated interpreter put it."""
    own = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry and os.path.realpath(entry) != own]


def _imported(root: str, path: str) -> Report:
    try:
        name = _module_name(root, path)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None or not _same(spec.origin, root, path):
            found = "nothing" if spec is None else spec.origin
            raise ImportError(f"`import {name}` finds {found}, never {path}", name=name)
        importlib.import_module(name)
    except SystemExit as ended:
        return _described(root, "exited", ended)
    except BaseException as raised:
        return _described(root, "failed", raised)
    return {"outcome": "passed", "exception": None, "traceback": []}


def _module_name(root: str, path: str) -> str:
    parts = path.split("/")
    if parts[0] != "src" or ".." in parts or not path.endswith(".py"):
        raise ImportError(f"{path} is not a Python file under src/")
    if not os.path.isfile(os.path.join(root, path)):
        raise FileNotFoundError(f"{path} is not in the workspace")
    parts = path.removesuffix(".py").split("/")[1:]
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()  # a package is imported by the name of its folder
    return ".".join(parts)


def _same(origin: str, root: str, path: str) -> bool:
    return os.path.realpath(origin) == os.path.realpath(os.path.join(root, path))


def _described(root: str, outcome: str, raised: BaseException) -> Report:
    frames: list[dict[str, Any]] = [
        {"file": file, "line": line, "function": frame.f_code.co_name}
        for frame, line in traceback.walk_tb(raised.__traceback__)
        if (file := _inside(root, frame.f_code.co_filename)) is not None
    ]
    models = [frame for frame in frames if frame["file"] not in HARNESS_OWNED] or frames
    file, line = (models[-1]["file"], models[-1]["line"]) if models else (None, None)
    if isinstance(raised, SyntaxError) and (named := _inside(root, raised.filename)):
        file, line = named, raised.lineno
    missing = _missing_module(raised)
    exception = _exception(_type_name(type(raised)), _message(raised), file, line, missing)
    return {"outcome": outcome, "exception": exception, "traceback": frames[-MAX_FRAMES:]}


def _type_name(kind: type) -> str:
    if kind.__module__ == "builtins":
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"[:200]


def _message(raised: BaseException) -> str:
    try:
        text = raised.msg if isinstance(raised, SyntaxError) else str(raised)
    except BaseException:
        return "<its message could not be read>"
    return text[:MAX_MESSAGE].encode("utf-8", "replace").decode("utf-8")


def _missing_module(raised: BaseException | None) -> str | None:
    """The module that is not there, also when the file reported it in words of its own."""
    for _ in range(10):
        if raised is None or isinstance(raised, ModuleNotFoundError):
            break
        raised = raised.__cause__
    return raised.name if isinstance(raised, ModuleNotFoundError) else None


def _inside(root: str, path: Any) -> str | None:
    if not isinstance(path, str):
        return None
    inside = os.path.relpath(os.path.join(root, path), root)
    return None if inside.startswith("..") or not inside.endswith(".py") else inside


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
