"""Asks the running interpreter whether it accepts source files: its own `compile`, nothing else.

Reads `{"files": [{"path": …, "text": …}]}` on stdin, answers one JSON object on stdout. Must not
execute or import any of it, and must not let one file's crash decide about the next: each is
compiled in a child of its own. `ast.parse` would not do: it accepts what `compile` refuses
(`return` outside a function, a late `__future__` import).
"""

from __future__ import annotations

import json
import os
import platform
import re
import resource
import signal
import sys
import warnings
from collections.abc import Callable
from typing import Any

MAX_BYTES = 1024 * 1024
"""Longer sources are refused unread: 10 MB on one line kept a compiler busy for 40 seconds."""
CPU_SECONDS = 10

# PEP 263: the interpreter looks for it in the first two lines.
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_UTF_8 = ("utf-8", "utf8", "utf-8-sig", "utf_8", "u8", "ascii", "us-ascii")

Answer = dict[str, Any]


def main() -> int:
    """Answers one request; returns 2 when the request itself is none."""
    warnings.simplefilter("ignore")  # an invalid escape is the linter's business, not a verdict
    try:
        request = json.load(sys.stdin)
        files = [(str(file["path"]), str(file["text"])) for file in request["files"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        print(f"compile_check: not a request: {error!r}", file=sys.stderr)
        return 2
    results = [{"path": path, **checked(path, text)} for path, text in files]
    json.dump({"python": platform.python_version(), "results": results}, sys.stdout)
    return 0


def checked(
    path: str, text: str, compiler: Callable[..., Any] = compile, cpu_seconds: int = CPU_SECONDS
) -> Answer:
    """The verdict on one file: `{"ok": true}`, or kind, message, line and column."""
    try:
        source = text.encode("utf-8")
    except UnicodeEncodeError as error:
        return _refused("UnicodeEncodeError", f"not UTF-8: {error.reason}", None, None)
    refused = unread(source)
    if refused is not None:
        return refused
    return _in_a_child(lambda: compiled(path, source, compiler), cpu_seconds)


def unread(source: bytes) -> Answer | None:
    """Why a source is refused before any compiler reads it."""
    if len(source) > MAX_BYTES:
        return _refused("TooLarge", f"{len(source)} bytes; at most {MAX_BYTES}", None, None)
    for number, line in enumerate(source.split(b"\n", 2)[:2], start=1):
        cookie = _COOKIE.match(line)
        if cookie and cookie[1].lower().decode("ascii", "replace") not in _UTF_8:
            return _refused("Encoding", "a source file is UTF-8, without another cookie", number, 1)
    return None


def compiled(path: str, source: bytes, compiler: Callable[..., Any] = compile) -> Answer:
    """The compiler's verdict, in this very process."""
    try:
        compiler(source, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return _refused(type(error).__name__, error.msg, error.lineno, error.offset)
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return _refused(type(error).__name__, str(error), None, None)
    return {"ok": True}


def _in_a_child(work: Callable[[], Answer], cpu_seconds: int) -> Answer:
    """A compiler can run out of stack or never end: that is an answer about this one file."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            _limit(cpu_seconds)
            with open(writer, "w", encoding="utf-8") as pipe:
                json.dump(work(), pipe)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writer)
    with open(reader, encoding="utf-8") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number in (signal.SIGXCPU, signal.SIGKILL):
            message = f"not compiled within {cpu_seconds} seconds of processor time"
            return _refused("TimedOut", message, None, None)
        return _refused("Crashed", f"the compiler died of signal {number}", None, None)
    if os.WEXITSTATUS(status) != 0 or not answer:
        return _refused("Crashed", "the compiler gave no answer", None, None)
    return json.loads(answer)


def _limit(cpu_seconds: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    most = cpu_seconds + 1 if hard == resource.RLIM_INFINITY else min(cpu_seconds + 1, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (min(cpu_seconds, most), most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _refused(kind: str, message: str, line: int | None, column: int | None) -> Answer:
    return {
        "ok": False,
        "kind": kind,
        "message": message,
        # Positions count from 1; the interpreter says 0 or nothing where it knows none.
        "line": line if line and line > 0 else None,
        "column": column if column and column > 0 else None,
    }


if __name__ == "__main__":
    sys.exit(main())
