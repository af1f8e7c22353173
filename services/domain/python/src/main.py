"""The entry point: calls `experiment.run(config, recorder)` and writes the result.

Must not judge the result or interpret what `run` returned. Whatever the program does to end early
(an exception, `sys.exit(0)`, `os._exit(0)`, a signal), the result says `finished` only when `run`
really returned: it is written unfinished first, and once more after the return.
Exit status: 0 `run` returned, 1 it did not, 70 the harness set this process up wrongly.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import traceback
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import Any

import arguments
from recorder import Recorder

EXIT_FINISHED = 0
EXIT_RAISED = 1
EXIT_HARNESS = 70

HARNESS_OWNED = (
    "src/arguments.py",
    "src/main.py",
    "src/metrics.py",
    "src/recorded_config.py",
    "src/recorded_files.py",
    "src/recorded_splits.py",
    "src/recorded_values.py",
    "src/recorder.py",
)
MAX_TRACEBACK = 16_000
MAX_MESSAGE = 4_000

# Taken before any model-written code runs, which may change the working folder.
ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


class ProgramError(Exception):
    """The program does not keep the contract of `src/experiment.py`."""


def main() -> int:
    """One execution; returns the exit status."""
    try:
        given = arguments.from_environment(os.environ)
        recorder = Recorder(given.out, given.inputs, given.config)
        recorder.write_result(given.nonce, finished=False, testimony=None, error=None)
    except (arguments.ArgumentsError, OSError) as wrong:
        print(f"interlock: {wrong}", file=sys.stderr)
        return EXIT_HARNESS

    process = os.getpid()
    testimony, error = None, None
    try:
        testimony = _called(_entry(), recorder)
    except BaseException as raised:
        error = _described(raised)
        _show(error["traceback"])
    status = EXIT_FINISHED if error is None else EXIT_RAISED
    if os.getpid() != process:
        # A fork that came back through `run`: the result is its parent's to write.
        os._exit(status)
    try:
        recorder.write_result(given.nonce, finished=error is None, testimony=testimony, error=error)
    except Exception as unwritten:
        _show(f"interlock: the result could not be written: {unwritten!r}\n")
        return EXIT_RAISED
    return status


def _entry() -> Callable[..., Any]:
    import experiment  # the model's file: here and not above, so that a failure is recorded

    run = getattr(experiment, "run", None)
    if not callable(run):
        raise ProgramError("src/experiment.py has no function run(config, recorder)")
    return run


def _called(run: Callable[..., Any], recorder: Recorder) -> Any:
    returned = run(recorder.config, recorder)
    if isinstance(returned, Awaitable | Generator | AsyncGenerator):
        # Calling such a function executes nothing of it: it would pass as an empty run.
        raise ProgramError("run(config, recorder) is a coroutine or generator, not a function")
    return returned


def _described(raised: BaseException) -> dict[str, Any]:
    """The error block of the result; must hold whatever a stranger's exception class does."""
    kind = type(raised)
    name = (
        kind.__qualname__
        if kind.__module__ == "builtins"
        else f"{kind.__module__}.{kind.__qualname__}"
    )
    file, line = _culprit(raised)
    try:
        message = str(raised)
    except BaseException:
        message = "<its message could not be read>"
    try:
        trace = "".join(traceback.format_exception(raised))
    except BaseException:
        trace = f"{name}: {message}\n"
    return {
        "type": _clean(str(name), 200),
        "message": _clean(message, MAX_MESSAGE),
        "traceback": _clean(trace, MAX_TRACEBACK),
        "file": file,
        "line": line,
    }


def _culprit(raised: BaseException) -> tuple[str | None, int | None]:
    """The deepest line of a model-written file: the place to look at, and to repair."""
    if isinstance(raised, ProgramError):
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


def _model_file(path: Any) -> str | None:
    if not isinstance(path, str):
        return None
    inside = os.path.relpath(os.path.join(ROOT, path), ROOT)
    if inside.startswith("..") or inside in HARNESS_OWNED or not inside.endswith(".py"):
        return None
    return inside


def _clean(text: str, limit: int) -> str:
    if len(text) > limit:  # an error's cause stands at its end, its origin at the beginning
        text = f"{text[: limit // 4]}\n<cut>\n{text[-(limit - limit // 4) :]}"
    return text.encode("utf-8", "replace").decode("utf-8")


def _show(text: str) -> None:
    """To the original stderr: the program may have replaced or closed its own."""
    try:
        print(text, end="", file=sys.__stderr__, flush=True)
    except (OSError, ValueError, AttributeError):
        return  # nobody listens; the result still says it


if __name__ == "__main__":
    if sys.__stderr__ is not None:
        faulthandler.enable(sys.__stderr__)
    sys.exit(main())
