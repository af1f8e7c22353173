"""What a recorded value may be, and how any value at all is written down.

`number` takes one finite number, `plain` copies anything into what JSON can hold: bounded, marked
where it was cut, without loss otherwise. Must not know metrics or files (that is the recorder's).
Needs no package: numpy's and torch's scalars and arrays are recognised by their shape.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import fractions
import json
import math
import pathlib
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
LARGEST_EXACT = 2**53  # integers beyond it do not survive a reader that knows only doubles


class RecorderError(Exception):
    """A value that cannot be recorded; the message says why and what would be accepted."""

    __module__ = "recorder"  # where programs import it from, and what a traceback shall say


def require_name(what: str, name: Any) -> None:
    """Refuses what is no name; `what` says in the message what it should name."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise RecorderError(
            f"{what} {name!r} is not a letter followed by up to 63 letters, digits, '_', '-' or '.'"
        )


def index(what: str, value: Any) -> int:
    """A whole number from 0 on, of any library."""
    whole = None if isinstance(value, bool) else getattr(value, "__index__", None)
    number = -1 if whole is None else whole()
    if not 0 <= number <= LARGEST_EXACT:
        raise RecorderError(f"{what} {value!r} is not a whole number from 0 on")
    return number


def number(what: str, value: Any) -> int | float:
    """A finite number, from Python or from any library whose scalars know `.item()`."""
    scalar = unwrapped(what, value)
    if isinstance(scalar, bool):
        raise RecorderError(f"{what}: {value!r} is a truth value, not a number")
    if isinstance(scalar, int) and abs(scalar) <= LARGEST_EXACT:
        return int(scalar)
    if isinstance(scalar, int) and not _survives(scalar):
        raise RecorderError(f"{what}: {value!r} cannot be recorded without loss; use a text")
    if isinstance(scalar, str | bytes) or not hasattr(scalar, "__float__"):
        raise RecorderError(f"{what}: a {type(value).__name__} is not a number")
    try:
        double = float(scalar)
    except (TypeError, ValueError, OverflowError) as error:
        raise RecorderError(f"{what}: {type(value).__name__} is not one number: {error}") from error
    if not math.isfinite(double):
        raise RecorderError(f"{what}: {double} is not a finite number")
    return double


def _survives(value: int) -> bool:
    try:
        return int(float(value)) == value
    except OverflowError:
        return True  # no number at all as a double, which is said with other words


def unwrapped(what: str, value: Any) -> Any:
    """The Python value inside a library's scalar: whatever has the shape () and an `item()`."""
    shape = getattr(value, "shape", ())
    if not isinstance(shape, tuple | list):
        return value
    if len(shape) > 0:
        raise RecorderError(
            f"{what}: an array of shape {tuple(shape)} where a single value is expected"
        )
    item = getattr(value, "item", None)
    return item() if callable(item) else value


MAX_DEPTH = 20
MAX_VALUES = 20_000
MAX_TEXT_LENGTH = 10_000
MAX_TOTAL_TEXT = 500_000


def plain(value: Any) -> Any:
    """A copy that JSON can hold, of anything at all; what does not fit is cut and marked.

    Numbers that JSON lacks become texts ("NaN"), dates ISO texts, mappings, data frames and
    sequences objects and lists, everything else its `repr`. At most MAX_VALUES values, MAX_DEPTH
    levels, MAX_TEXT_LENGTH characters of one text and MAX_TOTAL_TEXT of all. Never raises.
    """
    return _Copy().of(value, 0)


class _Copy:
    """One bounded copy: counts what it has taken, remembers what it is inside of."""

    def __init__(self) -> None:
        self._values_left = MAX_VALUES
        self._text_left = MAX_TOTAL_TEXT
        self._open: set[int] = set()

    def of(self, value: Any, depth: int) -> Any:
        if self._values_left <= 0:
            return "<cut: too many values>"
        if depth > MAX_DEPTH:
            return "<cut: nested too deeply>"
        if id(value) in self._open:
            return "<cut: contains itself>"
        self._values_left -= 1
        try:
            return self._leaf(value, depth)
        except BaseException:
            # A stranger's methods were called: they may raise anything, even SystemExit.
            return f"<unreadable {type(value).__name__}>"

    def _leaf(self, value: Any, depth: int) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, enum.Enum):
            return self.of(value.value, depth + 1)
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int):
            return self._integer(int(value))
        if isinstance(value, float):
            return _finite_or_name(float(value))
        if isinstance(value, bytes | bytearray):
            return self._text(bytes(value[:MAX_TEXT_LENGTH]).decode("utf-8", "replace"))
        if isinstance(value, datetime.date | datetime.time):
            return value.isoformat()
        if isinstance(value, _TEXT_TYPES):
            return self._text(str(value))
        if isinstance(value, type):
            return self._text(repr(value))
        if hasattr(value, "shape") and hasattr(value, "dtype"):
            return self._array(value, depth)
        if hasattr(value, "shape") and hasattr(value, "columns"):
            return self._frame(value, depth)
        return self._container(value, depth)

    def _container(self, value: Any, depth: int) -> Any:
        self._open.add(id(value))
        try:
            if isinstance(value, Mapping):
                return self._object(value.items(), depth)
            if dataclasses.is_dataclass(value) and not isinstance(value, type):
                names = [field.name for field in dataclasses.fields(value)]
                return self._object(((name, getattr(value, name)) for name in names), depth)
            if isinstance(value, tuple) and hasattr(value, "_fields"):
                return self._object(zip(value._fields, value, strict=True), depth)
            if isinstance(value, Set):
                # Hashes of texts differ from process to process; the copy shall not.
                return sorted(self._list(value, depth), key=repr)
            if isinstance(value, Sequence):
                return self._list(value, depth)
            return self._text(repr(value))
        finally:
            self._open.discard(id(value))

    def _array(self, value: Any, depth: int) -> Any:
        shape = tuple(int(length) for length in value.shape)
        if math.prod(shape) > self._values_left:
            return self._text(f"<cut: {type(value).__name__} of shape {shape}>")
        if getattr(value.dtype, "kind", "") in "Mm" and hasattr(value, "astype"):
            value = value.astype("str")  # as numbers, dates and spans would lose their unit
        inner = value.tolist()
        # An extended-precision scalar unwraps to itself.
        return self.of(float(value) if type(inner) is type(value) else inner, depth + 1)

    def _frame(self, value: Any, depth: int) -> Any:
        shape = tuple(int(length) for length in value.shape)
        if math.prod(shape) > self._values_left:
            return self._text(f"<cut: {type(value).__name__} of shape {shape}>")
        return self._object(((name, value[name]) for name in value.columns), depth)

    def _object(self, items: Iterable[tuple[Any, Any]], depth: int) -> dict[str, Any]:
        copied: dict[str, Any] = {}
        for key, item in items:
            if self._values_left <= 0:
                copied["<cut>"] = "<cut: too many values>"
                break
            name = self._key(key, depth)
            number = 2
            while name in copied:  # 1 and "1" are two keys in Python and one in JSON
                name = f"{self._key(key, depth)}#{number}"
                number += 1
            copied[name] = self.of(item, depth + 1)
        return copied

    def _key(self, key: Any, depth: int) -> str:
        copied = self.of(key, depth + 1)
        return copied if isinstance(copied, str) else json.dumps(copied)

    def _list(self, items: Iterable[Any], depth: int) -> list[Any]:
        copied: list[Any] = []
        for item in items:
            copied.append(self.of(item, depth + 1))
            if self._values_left <= 0:
                copied.append("<cut: too many values>")
                break
        return copied

    def _integer(self, value: int) -> int | str:
        if -(2**63) <= value < 2**63:
            return value
        if value.bit_length() > 8192:  # beyond it the interpreter itself refuses to print
            return f"<cut: integer of {value.bit_length()} bits>"
        return str(value)

    def _text(self, value: str) -> str:
        room = max(0, min(MAX_TEXT_LENGTH, self._text_left))
        self._text_left -= min(len(value), room)
        # Half a surrogate pair is a Python text but no JSON reader's.
        kept = str(value)[:room].encode("utf-8", "replace").decode("utf-8")
        cut = len(value) - len(kept)
        return f"{kept}<cut: {cut} more characters>" if cut > 0 else kept


_TEXT_TYPES = (
    datetime.timedelta,
    pathlib.PurePath,
    decimal.Decimal,
    fractions.Fraction,
    complex,
    uuid.UUID,
)


def _finite_or_name(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
