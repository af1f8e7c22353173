"""The child's side of a check: isolates itself, imports one file or compiles many, reports, ends.

Runs model-written code. Must not return to its caller, keep a descriptor besides its own pipe, or
take part in anything after its report.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import resource
import signal
import sys
import traceback
import types
import warnings
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import compile_check
import landlock
import process_tree

HARNESS_OWNED = (
    "src/arguments.py",
    "src/main.py",
    "src/metrics.py",
    "src/raised.py",
    "src/recorded_config.py",
    "src/recorded_files.py",
    "src/recorded_splits.py",
    "src/recorded_values.py",
    "src/recorder.py",
)
MAX_FRAMES = 40
MAX_MESSAGE = 4_000

Report = dict[str, Any]


@dataclass(frozen=True)
class Surroundings:
    """What a bare interpreter has: children go back to it."""

    modules: frozenset[str]
    """Names that were loaded before any of the harness's imports."""
    environ: dict[str, str]


@dataclass(frozen=True)
class Question:
    """What is asked about the files of one workspace."""

    root: str
    timeout: float
    """Seconds per file."""
    memory: int | None = None
    """Most memory of one import in bytes, where the sandbox around it does not watch over that."""
    domain: int | None = None
    """Descriptor of the landlock domain that children enter."""
    sources: tuple[str, ...] = ()
    """Files that are to be compiled, all in one child, and not imported."""


def run(around: Surroundings, question: Question, path: str, pipe: int) -> None:
    """Imports one file, or compiles the question's sources; reports, ends; never returns."""
    try:
        process = os.getpid()
        try:
            _isolate(around, question, pipe)
        except Exception as broken:  # not the file's fault, and must not look like it
            report = failure("not_run", "SetupError", f"preflight: {broken!r}", None)
        else:
            report = _compiled(question) if question.sources else _imported(question.root, path)
            report = _within_memory(question, report, path)
        if os.getpid() == process:  # a fork that came back through the import is silent
            report["threads"] = max(0, process_tree.threads() - 1)
            write_line(pipe, report)
    finally:
        os._exit(0)


def write_line(descriptor: int, report: Report) -> None:
    """One JSON line, whole."""
    data = json.dumps(report).encode("ascii") + b"\n"
    while data:
        data = data[os.write(descriptor, data) :]


def failure(outcome: str, kind: str, message: str, path: str | None) -> Report:
    """The report on a file that no traceback tells about."""
    exception = _exception(kind, message, path)
    return {"outcome": outcome, "exception": exception, "traceback": [], "threads": 0}


def workspace_names(root: str) -> set[str]:
    """Top-level names that the workspace has on its source path."""
    return {name.partition(".")[0] for name in os.listdir(os.path.join(root, "src"))}


def leave_own_folder() -> None:
    """Takes this file's folder off the search path."""
    own = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry and os.path.realpath(entry) != own]


def forget(at_start: frozenset[str]) -> None:
    """Takes out what was imported since: a file that needs it has to import its own."""
    taken = {name: sys.modules.pop(name) for name in set(sys.modules) - at_start}
    for name, module in taken.items():
        package, _, last = name.rpartition(".")
        holder = sys.modules.get(package)  # one of those that stay
        if holder is not None and vars(holder).get(last) is module:
            delattr(holder, last)


def _isolate(around: Surroundings, question: Question, pipe: int) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.setsid()
    process_tree.prctl(process_tree.PR_SET_PDEATHSIG, signal.SIGKILL)
    _limit(resource.RLIMIT_CPU, math.ceil(question.timeout) + 1)
    _limit(resource.RLIMIT_CORE, 0)
    if question.memory is not None:
        # Half as much again, as around a run: libraries reserve more than they touch.
        _limit(resource.RLIMIT_DATA, question.memory * 3 // 2)
    if question.domain is not None:
        landlock.enter(question.domain)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    for descriptor in descriptors():
        if descriptor > 2 and descriptor != pipe:
            with contextlib.suppress(OSError):  # the listing's own, or never open
                os.close(descriptor)

    # From here on as `python src/main.py` would be, started in the workspace.
    os.environ.clear()
    os.environ.update(around.environ)
    os.chdir(question.root)
    src = os.path.join(question.root, "src")
    leave_own_folder()
    sys.path.insert(0, src)
    sys.argv = [os.path.join("src", "main.py")]
    sys.dont_write_bytecode = True
    main_module = types.ModuleType("__main__")
    main_module.__file__ = os.path.join(src, "main.py")
    forget(around.modules)
    sys.modules["__main__"] = main_module


def _limit(which: int, most: int) -> None:
    """Lowers a limit; one that is lower already stays."""
    _, hard = resource.getrlimit(which)
    slack = 1 if which == resource.RLIMIT_CPU else 0  # first the signal that tells, then the end
    hardest = most + slack if hard == resource.RLIM_INFINITY else min(most + slack, hard)
    resource.setrlimit(which, (min(most, hardest), hardest))


def descriptors() -> list[int]:
    """The open descriptors, or all that there may be where the kernel does not let us see."""
    try:
        return [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:
        return list(range(3, 256))


def _within_memory(question: Question, report: Report, path: str) -> Report:
    """The report, unless the import took more memory than it may have."""
    if question.memory is None:
        return report
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    peak = max(resource.getrusage(who).ru_maxrss for who in whose) * 1024
    if peak <= question.memory:
        return report
    message = f"the import took {peak} bytes of memory; {question.memory} is the limit"
    return failure("killed", "MemoryError", message, path)


def _compiled(question: Question) -> Report:
    """A pass if every source is one; what is wrong with it is for somebody else to find out."""
    warnings.simplefilter("ignore")
    try:
        for path in question.sources:
            with open(os.path.join(question.root, path), "rb") as file:
                source = file.read()
            source.decode("utf-8")
            refused = compile_check.unread(source)
            if refused is not None or not compile_check.compiled(path, source)["ok"]:
                return failure("failed", "SyntaxError", "not compiled", path)
    except BaseException as raised:
        return failure("failed", _type_name(type(raised)), "not compiled", None)
    return {"outcome": "passed", "exception": None, "traceback": []}


def _imported(root: str, path: str) -> Report:
    try:
        name = _module_name(root, path)
        spec = find_spec(name)
        if spec is None or spec.origin is None or not _same(spec.origin, root, path):
            found = "nothing" if spec is None else spec.origin
            raise ImportError(f"`import {name}` finds {found}, never {path}", name=name)
        import_module(name)
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


def _exception(
    kind: str, message: str, file: str | None, line: int | None = None, missing: str | None = None
) -> Report:
    return dict(type=kind, message=message, file=file, line=line, missing_module=missing)


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
