"""What ended `run`: the error block of the result, with the cause that the exception's fields show.

Must not judge the run: it names what was missing or refused, by type, error number, path and
module; the executor decides what that amounts to. Must hold whatever a stranger's class does.
"""

from __future__ import annotations

import builtins
import errno
import linecache
import os
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

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
MAX_TRACEBACK = 16_000
MAX_MESSAGE = 4_000
MAX_WHAT = 300
MAX_CHAIN = 20

# Taken before any model-written code runs, which may change the working folder.
ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_NETWORK = {
    errno.ENETUNREACH,
    errno.ENETDOWN,
    errno.EHOSTUNREACH,
    errno.EHOSTDOWN,
    errno.ECONNREFUSED,
    errno.EAFNOSUPPORT,
    errno.EADDRNOTAVAIL,
}
_REFUSED = {errno.EACCES, errno.EPERM, errno.EROFS}
_NOT_THERE = {errno.ENOENT, errno.ENOTDIR}
_CALLED = re.compile(r"([\w.]+)\(\) (?:missing|takes|got) ")

Cause = tuple[str, str]


class Surroundings:
    """The folders that say whose a path is."""

    def __init__(self, inputs: Path, out: Path) -> None:
        self._inputs = os.path.realpath(inputs)
        writable = [out, os.environ.get("TMPDIR", "/tmp"), "/tmp", "/dev/shm", "/var/tmp"]
        self._own = [ROOT, *(os.path.realpath(path) for path in writable)]

    def missing_input(self, path: str) -> str | None:
        """The name of an input that the task does not provide; None for any other path."""
        for folder in (self._inputs, os.path.join(ROOT, "inputs")):
            if _is_below(path, folder):
                name = os.path.relpath(path, folder)
                return None if os.path.lexists(os.path.join(self._inputs, name)) else name
        return None

    def is_outside(self, path: str) -> bool:
        """Whether the program has no business there at all."""
        return not any(_is_below(path, folder) for folder in [self._inputs, *self._own])


def described(
    raised: BaseException, around: Surroundings, contract: type[BaseException]
) -> dict[str, Any]:
    """The error block of the result. `contract` is what the entry point raises itself."""
    kind = type(raised)
    name = (
        kind.__qualname__
        if kind.__module__ == "builtins"
        else f"{kind.__module__}.{kind.__qualname__}"
    )
    file, line = _culprit(raised, contract)
    try:
        message = str(raised)
    except BaseException:
        message = "<its message could not be read>"
    try:
        trace = "".join(traceback.format_exception(raised))
    except BaseException:
        trace = f"{name}: {message}\n"
    cause, what = _cause(raised, around, contract)
    return {
        "type": _clean(str(name), 200),
        "message": _clean(message, MAX_MESSAGE),
        "traceback": _clean(trace, MAX_TRACEBACK),
        "file": file,
        "line": line,
        "cause": {"kind": cause, "what": _clean(what, MAX_WHAT)},
    }


def _culprit(raised: BaseException, contract: type[BaseException]) -> tuple[str | None, int | None]:
    """The deepest line of a model-written file: the place to look at, and to repair."""
    if isinstance(raised, contract):
        return "src/experiment.py", None
    if isinstance(raised, SyntaxError):
        file = _model_file(raised.filename)
        if file is not None:
            return file, raised.lineno
    found: tuple[str | None, int | None] = (None, None)
    for frame, line in traceback.walk_tb(raised.__traceback__):
        file = _model_file(frame.f_code.co_filename)
        if file is not None:
            found = (file, line)
    return found


def _cause(raised: BaseException, around: Surroundings, contract: type[BaseException]) -> Cause:
    """The first cause in the chain that is more than a fault of the code."""
    if isinstance(raised, contract):
        return "contract", ""
    for one in _chain(raised):
        try:
            cause = _of(one, around)
        except BaseException:
            # A stranger's class: whatever it overrides, it is the code that raised it.
            cause = None
        if cause is not None:
            return cause
    return "code", ""


def _chain(raised: BaseException) -> Iterator[BaseException]:
    """The exception, and what it was raised from.

    What model-written code was handling when it raised something else is not followed: there it
    has decided anew.
    """
    seen: set[int] = set()
    waiting = [raised]
    while waiting and len(seen) < MAX_CHAIN:
        one = waiting.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        inner = [one.__cause__]
        if one.__cause__ is None and not one.__suppress_context__ and _raised_in_library(one):
            inner.append(one.__context__)
        group = getattr(builtins, "BaseExceptionGroup", None)
        if group is not None and isinstance(one, group):
            inner.extend(one.exceptions)
        waiting.extend(other for other in inner if isinstance(other, BaseException))


def _of(one: BaseException, around: Surroundings) -> Cause | None:
    if isinstance(one, MemoryError):
        return "memory", ""
    if isinstance(one, ModuleNotFoundError):
        return _missing_module(one)
    if isinstance(one, ImportError):
        return _wrong_import(one)
    if isinstance(one, OSError):
        return _refused_by_system(one, around)
    if isinstance(one, RuntimeError) and _innermost(one)[0].endswith("threading.py"):
        return ("processes", "a thread") if "new thread" in str(one) else None
    if getattr(one, "sqlite_errorname", None) == "SQLITE_FULL":
        return "disk", ""
    if isinstance(one, TypeError):
        return _wrong_call(one)
    if isinstance(one, AttributeError) and isinstance(one.obj, ModuleType):
        other = _workspace_file(getattr(one.obj, "__file__", None))
        return None if other is None else ("contract", f"{other} has no {one.name}")
    return None


def _missing_module(one: ModuleNotFoundError) -> Cause | None:
    if not isinstance(one.name, str):
        return None
    first = one.name.partition(".")[0]
    here = os.path.join(ROOT, "src", first)
    if os.path.exists(here) or os.path.exists(f"{here}.py"):
        return "contract", f"the workspace has no module {one.name}"
    return "missing-module", one.name


def _wrong_import(one: ImportError) -> Cause | None:
    other = _workspace_file(one.path)
    if other is not None:
        return "contract", f"{other} does not define what is imported from it"
    if isinstance(one.path, str) and "cannot open shared object file" in str(one):
        return "missing-library", str(one).partition(":")[0]
    if one.path is None and "cannot open shared object file" in str(one):
        return "missing-library", str(one).partition(":")[0]
    return None


def _refused_by_system(one: OSError, around: Surroundings) -> Cause | None:
    number = one.errno
    path = _absolute(one.filename)
    # Without the module there is no such exception; importing it would cost every run its time.
    unresolved = getattr(sys.modules.get("_socket"), "gaierror", ())
    if isinstance(one, unresolved) or number in _NO_NETWORK:
        return "no-network", ""
    if number in _NO_ROOM:
        return "disk", ""
    if number == errno.ENOMEM:
        return "memory", ""
    file, source = _innermost(one)
    if number == errno.EAGAIN and "fork" in source:
        return "processes", "a process"
    if number in _NOT_THERE and path is not None:
        name = around.missing_input(path)
        return None if name is None else ("missing-input", name)
    if number == errno.ENOSYS:
        return "refused-call", ""
    if number not in _REFUSED:
        return None
    if path is not None:
        return ("outside", path) if around.is_outside(path) else None
    if os.path.basename(file) == "socket.py":
        return "no-network", ""
    return "refused-call", ""


def _wrong_call(one: TypeError) -> Cause | None:
    """A call that does not fit a function of another file."""
    called = _CALLED.match(str(one))
    frame = _innermost_frame(one)
    caller = None if frame is None else _workspace_file(frame.f_code.co_filename)
    if called is None or caller is None:
        return None
    for module in list(sys.modules.values()):
        file = _workspace_file(getattr(module, "__file__", None))
        if file is not None and file != caller and _defines(module, called[1]):
            return "contract", f"{caller} calls {called[1]}() of {file}"
    return None


def _defines(module: ModuleType, name: str) -> bool:
    found: Any = module
    for part in name.removesuffix(".__init__").split("."):
        found = vars(found).get(part) if isinstance(found, ModuleType | type) else None
    return getattr(found, "__module__", None) == module.__name__


def _innermost_frame(one: BaseException) -> FrameType | None:
    last = None
    for frame, _ in traceback.walk_tb(one.__traceback__):
        last = frame
    return last


def _innermost(one: BaseException) -> tuple[str, str]:
    """File and source line that raised it."""
    last = ("", "")
    for frame, line in traceback.walk_tb(one.__traceback__):
        name = frame.f_code.co_filename
        last = (name, linecache.getline(name, line))
    return last


def _raised_in_library(one: BaseException) -> bool:
    frame = _innermost_frame(one)
    return frame is not None and _workspace_file(frame.f_code.co_filename) is None


def _absolute(path: Any) -> str | None:
    if isinstance(path, bytes | str | os.PathLike):
        return os.path.realpath(os.fsdecode(path))
    return None


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _workspace_file(path: Any) -> str | None:
    if not isinstance(path, str):
        return None
    inside = os.path.relpath(os.path.join(ROOT, path), ROOT)
    return None if inside.startswith("..") or not inside.endswith(".py") else inside


def _model_file(path: Any) -> str | None:
    inside = _workspace_file(path)
    return None if inside in HARNESS_OWNED else inside


def _clean(text: str, limit: int) -> str:
    if len(text) > limit:  # an error's cause stands at its end, its origin at the beginning
        text = f"{text[: limit // 4]}\n<cut>\n{text[-(limit - limit // 4) :]}"
    return text.encode("utf-8", "replace").decode("utf-8")
