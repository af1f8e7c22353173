"""Files below the output folder: written whole, checked before they are named in the result.

Must not follow a link, read a pipe, or name a file outside the folder. Nothing is hashed here: the
program could change the file afterwards, so the executor does that when the program has ended.
"""

from __future__ import annotations

import os
import pathlib
import re
import stat
from typing import Any, BinaryIO

from recorded_values import RecorderError

FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")
MAX_PATH_LENGTH = 200
MAX_FIGURE_BYTES = 16 * 1024 * 1024
OURS = ("recorded.json", "result.json", "predictions")
"""Names in the output folder that only the harness writes to."""

_PATH = re.compile(r"[A-Za-z0-9_+@-][A-Za-z0-9_.+@-]*(/[A-Za-z0-9_+@-][A-Za-z0-9_.+@-]*)*")
_PNG = b"\x89PNG\r\n\x1a\n"


def write_whole(path: pathlib.Path, data: bytes) -> None:
    """Writes beside the target and renames, so that nobody ever reads half a file."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def name_below(out: pathlib.Path, what: str, path: Any) -> str:
    """`path`, absolute or from the output folder, as its name there; refuses any other."""
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise RecorderError(f"{what}: a {type(path).__name__} is no path")
    root = os.path.realpath(out)
    text = os.fspath(path)
    if "\0" in text:
        raise RecorderError(f"{what}: {text!r} is no path")
    whole = os.path.normpath(os.path.join(root, text))
    # The last part is not resolved: a link is refused as such, wherever it leads.
    whole = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
    if not whole.startswith(root + os.sep):
        raise RecorderError(f"{what}: {text!r} lies outside the output folder {root}")
    name = os.path.relpath(whole, root)
    if len(name) > MAX_PATH_LENGTH or not _PATH.fullmatch(name):
        raise RecorderError(
            f"{what}: {name!r} is not 1 to {MAX_PATH_LENGTH} letters, digits or '_.+@-', with '/'"
        )
    if name.split("/")[0] in OURS:
        raise RecorderError(f"{what}: {name!r} is the harness's own")
    return name


def size_of(out: pathlib.Path, what: str, name: str) -> int:
    """The bytes of a regular file below the output folder."""
    try:
        status = os.lstat(out / name)
    except OSError as error:
        raise RecorderError(f"{what}: {name!r} is not there: {error.strerror}") from error
    if not stat.S_ISREG(status.st_mode):
        raise RecorderError(f"{what}: {name!r} is not a regular file")
    return status.st_size


def open_regular(what: str, path: Any) -> BinaryIO:
    """A regular file for reading; never waits for a pipe or a device."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise RecorderError(f"{what}: {path!s} cannot be read: {error}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RecorderError(f"{what}: {path!s} is not a regular file")
    return open(descriptor, "rb")


def write_figure(out: pathlib.Path, what: str, figure: Any, name: Any) -> str:
    """Writes a matplotlib figure, or a copy of a PNG or SVG file; returns its name below `out`."""
    if not isinstance(name, str) or not FILE_NAME.fullmatch(name):
        raise RecorderError(f"{what}: the name is not 1 to 64 letters, digits, '_' or '-'")
    folder = out / "figures"
    folder.mkdir(exist_ok=True)
    if isinstance(figure, str | os.PathLike):
        data = _image(what, figure)
        ending = "png" if data.startswith(_PNG) else "svg"
        target = _free(what, folder, name, ending)
        write_whole(target, data)
    elif callable(getattr(figure, "savefig", None)):
        target = _free(what, folder, name, "png")
        figure.savefig(target, format="png")
    else:
        raise RecorderError(
            f"{what}: a {type(figure).__name__} is neither a matplotlib figure nor an image's path"
        )
    return f"figures/{target.name}"


def _free(what: str, folder: pathlib.Path, name: str, ending: str) -> pathlib.Path:
    for taken in ("png", "svg"):
        if os.path.lexists(folder / f"{name}.{taken}"):
            raise RecorderError(f"{what} is already recorded")
    return folder / f"{name}.{ending}"


def _image(what: str, path: Any) -> bytes:
    """The content of an image file, by what is in it and not by its name."""
    with open_regular(what, path) as file:
        data = file.read(MAX_FIGURE_BYTES + 1)
    if len(data) > MAX_FIGURE_BYTES:
        raise RecorderError(f"{what}: {path!s} is larger than {MAX_FIGURE_BYTES} bytes")
    if not data.startswith(_PNG) and b"<svg" not in data[:4096]:
        raise RecorderError(f"{what}: {path!s} is neither a PNG nor an SVG image")
    return data
