"""The recorder that a program gets: metrics, predictions and input paths, checked as they come in.

Must not judge anything, and must not trust its caller: a value that could not be compared later
is refused here, with a message that says what to do. What `run` returned is written as testimony,
never interpreted. Needs no package; numpy's scalars and arrays are recognised by their shape.
"""

from __future__ import annotations

import collections
import csv
import dataclasses
import datetime
import decimal
import enum
import fractions
import io
import itertools
import json
import math
import os
import pathlib
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

UNITS = ("fraction", "percent", "count", "seconds", "bytes", "none")
"""The units a metric may have; "none" for a plain number, or one in the unit of the target."""

RESULT_SCHEMA = 1
MAX_METRICS = 10_000
MAX_PREDICTIONS = 5_000_000
MAX_CELL_LENGTH = 1_000

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")
_LARGEST_EXACT = 2**53  # integers beyond it do not survive a reader that knows only doubles
_FRACTION_SLACK = 1e-9  # rounding of a mean may leave [0, 1] by this much, a percentage leaves more


class RecorderError(Exception):
    """A value that cannot be recorded; the message says why and what would be accepted."""


class Recorder:
    """Handed to `run(config, recorder)`; everything recorded here is kept by the harness."""

    def __init__(self, out: pathlib.Path, inputs: pathlib.Path) -> None:
        self._out = out
        self._inputs = inputs
        self._metrics: dict[tuple[str, str | None, int | None], dict[str, Any]] = {}

    def metric(
        self,
        name: str,
        value: Any,
        unit: str,
        split: str | None = None,
        step: int | None = None,
    ) -> None:
        """Records one finite number.

        `unit` is one of UNITS; `split` says on which data ("validation"); `step` numbers a series
        (the epoch). The same name, split and step cannot be recorded twice.
        """
        _require_name("metric name", name)
        if split is not None:
            _require_name("split", split)
        number = _number(f"metric {name}", value)
        _require_unit(name, number, unit)
        index = None if step is None else _step(name, step)
        key = (name, split, index)
        if key in self._metrics:
            raise RecorderError(
                f"metric {name} (split {split}, step {index}) is already recorded;"
                " give each value its own name, split or step"
            )
        if len(self._metrics) >= MAX_METRICS:
            raise RecorderError(f"more than {MAX_METRICS} metrics")
        self._metrics[key] = {
            "name": name,
            "value": number,
            "unit": unit,
            "split": split,
            "step": index,
        }

    def predictions(self, name: str, ids: Iterable[Any], values: Iterable[Any]) -> None:
        """Writes one prediction per id, for the harness to score.

        `name` is what the task calls the predictions ("test"). Ids are unique texts or integers,
        values are texts or finite numbers, and there are equally many of both.
        """
        if not isinstance(name, str) or not _FILE_NAME.fullmatch(name):
            raise RecorderError(
                f"predictions name {name!r} is not 1 to 64 letters, digits, '_' or '-'"
            )
        keys = [_cell("id", position, item) for position, item in _listed("ids", ids)]
        cells = [_cell("value", position, item) for position, item in _listed("values", values)]
        if len(keys) != len(cells):
            raise RecorderError(f"predictions {name}: {len(keys)} ids, but {len(cells)} values")
        if not keys:
            raise RecorderError(f"predictions {name}: there are none")
        if len(set(keys)) != len(keys):
            raise RecorderError(f"predictions {name}: id {_first_repeated(keys)!r} occurs twice")
        target = self._out / "predictions" / f"{name}.csv"
        if os.path.lexists(target):
            raise RecorderError(f"predictions {name} are already recorded")
        target.parent.mkdir(exist_ok=True)
        text = io.StringIO(newline="")
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(("id", "prediction"))
        rows.writerows(zip(keys, cells, strict=True))
        _write_whole(target, text.getvalue().encode("utf-8"))

    def input_path(self, name: str) -> pathlib.Path:
        """The path of one of the task's input files, for example `input_path("train.csv")`."""
        if not isinstance(name, str) or not name or "\0" in name:
            raise RecorderError(f"{name!r} is not the name of an input file")
        root = self._inputs.resolve()
        path = (root / name).resolve()
        if path != root and not path.is_relative_to(root):
            raise RecorderError(f"{name!r} lies outside the input files")
        if not path.is_file():
            known = sorted(item.name for item in itertools.islice(root.iterdir(), 100))
            raise RecorderError(f"there is no input file {name!r}; there are {known}")
        return path

    def write_result(
        self, nonce: str, *, finished: bool, testimony: Any, error: dict[str, Any] | None
    ) -> None:
        """For the entry point alone: writes `recorded.json`, whole or not at all."""
        document = {
            "schema": RESULT_SCHEMA,
            "nonce": nonce,
            "finished": finished,
            "metrics": list(self._metrics.values()),
            "testimony": plain(testimony),
            "error": error,
        }
        # allow_nan: a document with a NaN in it is no JSON, and must not be written as if it were.
        text = json.dumps(document, allow_nan=False, separators=(",", ":"))
        _write_whole(self._out / "recorded.json", text.encode("ascii") + b"\n")


def _require_name(what: str, name: Any) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise RecorderError(
            f"{what} {name!r} is not a letter followed by up to 63 letters, digits, '_', '-' or '.'"
        )


def _require_unit(name: str, number: float, unit: Any) -> None:
    if unit not in UNITS:
        raise RecorderError(f"metric {name}: unit {unit!r} is none of {', '.join(UNITS)}")
    if unit == "fraction" and not -_FRACTION_SLACK <= number <= 1 + _FRACTION_SLACK:
        raise RecorderError(
            f"metric {name}: {number} is no fraction (0 to 1); use 'percent' or 'none'"
        )
    if unit in ("count", "seconds", "bytes") and number < 0:
        raise RecorderError(f"metric {name}: {number} {unit} is negative")


def _step(name: str, step: Any) -> int:
    index = None if isinstance(step, bool) else getattr(step, "__index__", None)
    number = -1 if index is None else index()
    if not 0 <= number <= _LARGEST_EXACT:
        raise RecorderError(f"metric {name}: step {step!r} is not a whole number from 0 on")
    return number


def _number(what: str, value: Any) -> int | float:
    """A finite number, from Python or from any library whose scalars know `.item()`."""
    scalar = _unwrapped(value)
    if isinstance(scalar, bool):
        raise RecorderError(f"{what}: {value!r} is a truth value, not a number")
    if isinstance(scalar, int) and abs(scalar) <= _LARGEST_EXACT:
        return int(scalar)
    if isinstance(scalar, str | bytes) or not hasattr(scalar, "__float__"):
        raise RecorderError(f"{what}: a {type(value).__name__} is not a number")
    try:
        number = float(scalar)
    except (TypeError, ValueError, OverflowError) as error:
        raise RecorderError(f"{what}: {type(value).__name__} is not one number: {error}") from error
    if not math.isfinite(number):
        raise RecorderError(f"{what}: {number} is not a finite number")
    return number


def _unwrapped(value: Any) -> Any:
    """The Python value inside a library's scalar: whatever has the shape () and an `item()`."""
    shape = getattr(value, "shape", ())
    if not isinstance(shape, tuple | list):
        return value
    if len(shape) > 0:
        raise RecorderError(f"an array of shape {tuple(shape)} where a single value is expected")
    item = getattr(value, "item", None)
    return item() if callable(item) else value


def _listed(what: str, items: Any) -> Iterable[tuple[int, Any]]:
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise RecorderError(f"{what} is a {type(items).__name__} where a list is expected")
    for position, item in enumerate(items):
        if position >= MAX_PREDICTIONS:
            raise RecorderError(f"more than {MAX_PREDICTIONS} {what}")
        yield position, item


def _cell(what: str, position: int, value: Any) -> str:
    where = f"{what} at position {position}"
    scalar = _unwrapped(value)
    if isinstance(scalar, str):
        text = str(scalar)
        if len(text) > MAX_CELL_LENGTH or not text or not _is_one_line(text):
            raise RecorderError(
                f"{where} is not one line of 1 to {MAX_CELL_LENGTH} characters: {text[:50]!r}"
            )
        return text
    number = _number(where, scalar)
    if what == "id" and number == int(number):
        return str(int(number))  # a library that reads ids as doubles still names the same row
    return repr(number)


def _is_one_line(text: str) -> bool:
    return not any(character in "\0\r\n" or "\ud800" <= character <= "\udfff" for character in text)


def _first_repeated(keys: Sequence[str]) -> str:
    return next(key for key, times in collections.Counter(keys).items() if times > 1)


def _write_whole(path: pathlib.Path, data: bytes) -> None:
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


MAX_DEPTH = 20
MAX_VALUES = 20_000
MAX_TEXT_LENGTH = 10_000
MAX_TOTAL_TEXT = 500_000


def plain(value: Any) -> Any:
    """A copy that JSON can hold, of anything at all; what does not fit is cut and marked.

    Numbers that JSON lacks become texts ("NaN"), dates ISO texts, mappings and sequences objects
    and lists, everything else its `repr`. Never raises.
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
        inner = value.tolist()
        # An extended-precision scalar unwraps to itself.
        return self.of(float(value) if type(inner) is type(value) else inner, depth + 1)

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
