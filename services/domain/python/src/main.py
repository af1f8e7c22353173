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
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import Any

import arguments
import raised
from recorder import Recorder

EXIT_FINISHED = 0
EXIT_RAISED = 1
EXIT_HARNESS = 70


class ProgramError(Exception):
    """The program does not keep the contract of `src/experiment.py`."""


def main() -> int:
    """One execution; returns the exit status."""
    try:
        given = arguments.from_environment(os.environ)
        recorder = Recorder(given.out, given.inputs, given.config, given.checkpoint)
        recorder.write_result(given.nonce, finished=False, testimony=None, error=None)
    except (arguments.ArgumentsError, OSError) as wrong:
        print(f"interlock: {wrong}", file=sys.stderr)
        return EXIT_HARNESS

    around = raised.Surroundings(given.inputs, given.out)
    process = os.getpid()
    testimony, error = None, None
    try:
        testimony = _called(_entry(), recorder)
    except BaseException as ended:
        error = raised.described(ended, around, ProgramError)
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
