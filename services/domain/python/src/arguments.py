"""What the executor tells this process: environment variables, read once and checked.

Must not know the experiment, write anything, or fall back to a default: a variable that is
missing or wrong is a fault of the harness and never of the program that a model wrote.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHECKPOINT = "INTERLOCK_CHECKPOINT"  # set only for a task that wants its program resumed
MAX_CONFIG_BYTES = 1024 * 1024
MAX_NONCE_LENGTH = 256


class ArgumentsError(Exception):
    """The environment is not what an executor sets up."""


@dataclass(frozen=True)
class Arguments:
    """One execution's surroundings."""

    out: Path
    """The only folder that this process may write to."""
    nonce: str
    """Fresh for each execution and echoed in the result, so that an old result is never taken."""
    config: dict[str, Any]
    """The task's `[config]` table, handed to `run(config, recorder)`."""
    inputs: Path
    """The folder of the task's read-only input files."""
    checkpoint: Path | None = None
    """The folder that outlives this execution, where the task wants it resumed; else None."""


def from_environment(environ: Mapping[str, str]) -> Arguments:
    """Reads and checks all variables; raises ArgumentsError naming the one that is wrong."""
    return Arguments(
        out=_folder(environ, "INTERLOCK_OUT"),
        nonce=_nonce(environ),
        config=_config(environ),
        inputs=_folder(environ, "INTERLOCK_INPUTS"),
        checkpoint=_folder(environ, CHECKPOINT) if CHECKPOINT in environ else None,
    )


def _text(environ: Mapping[str, str], name: str) -> str:
    value = environ.get(name, "")
    if not value:
        raise ArgumentsError(f"{name} is not set")
    return value


def _folder(environ: Mapping[str, str], name: str) -> Path:
    path = Path(_text(environ, name))
    if not path.is_absolute():
        # The program may change its working folder; a relative path would then move with it.
        raise ArgumentsError(f"{name} is not an absolute path: {path}")
    if not path.is_dir():
        raise ArgumentsError(f"{name} is not a folder: {path}")
    return path


def _nonce(environ: Mapping[str, str]) -> str:
    nonce = _text(environ, "INTERLOCK_NONCE")
    if len(nonce) > MAX_NONCE_LENGTH or not nonce.isascii() or not nonce.isprintable():
        raise ArgumentsError(
            f"INTERLOCK_NONCE is not printable ASCII of at most {MAX_NONCE_LENGTH} characters"
        )
    return nonce


def _config(environ: Mapping[str, str]) -> dict[str, Any]:
    path = Path(_text(environ, "INTERLOCK_CONFIG"))
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_CONFIG_BYTES:
            raise ArgumentsError(
                f"INTERLOCK_CONFIG is not a file of at most {MAX_CONFIG_BYTES} bytes: {path}"
            )
        config = json.loads(path.read_bytes(), parse_constant=_refuse_constant)
    except OSError as error:
        raise ArgumentsError(f"INTERLOCK_CONFIG cannot be read: {error}") from error
    except (ValueError, RecursionError) as error:
        raise ArgumentsError(f"INTERLOCK_CONFIG is not JSON: {error}") from error
    if not isinstance(config, dict):
        raise ArgumentsError(
            f"INTERLOCK_CONFIG holds a {type(config).__name__} where an object is expected"
        )
    return config


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not a JSON number")
