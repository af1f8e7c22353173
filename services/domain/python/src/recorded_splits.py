"""What data a program said it used: a digest per row of each split, and the rows that two share.

Must not keep the data, and must not judge: it counts. The cost is bounded: at most MAX_ROWS rows of
a split are looked at, and MAX_BYTES of all splits together (a Python object counts as OBJECT_BYTES
of them); a split that was looked at in part says so. Eight bytes are kept per row.
"""

from __future__ import annotations

import array
import hashlib
import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recorded_files import open_regular
from recorded_values import LARGEST_EXACT, RecorderError, index, require_name

ROLES = ("train", "validation", "test", "other")
MAX_SPLITS = 64
MAX_ROWS = 1_000_000
MAX_BYTES = 2 * 1024**3
OBJECT_BYTES = 64
MAX_ROW_DEPTH = 8

_STARTS = {"train": ("train", "fit"), "validation": ("val", "dev"), "test": ("test", "holdout")}
_CHUNK = 4_096


class Splits:
    """All splits of one run."""

    def __init__(self) -> None:
        self._entries: list[dict[str, Any]] = []
        self._digests: list[array.array[int]] = []
        self._overlaps: list[dict[str, int]] = []
        self._left = MAX_BYTES

    def add(self, name: Any, data: Any, role: Any, fold: Any) -> None:
        """Takes one split's rows, and compares them with those of every other of its fold."""
        require_name("split", name)
        what = f"split {name}"
        if role is not None and role not in ROLES:
            raise RecorderError(f"{what}: role {role!r} is none of {', '.join(ROLES)}")
        number = None if fold is None else index(f"{what}: fold", fold)
        if any((entry["name"], entry["fold"]) == (name, number) for entry in self._entries):
            raise RecorderError(f"{what} (fold {number}) is already recorded")
        if len(self._entries) >= MAX_SPLITS:
            raise RecorderError(f"{what}: more than {MAX_SPLITS} splits")
        rows = _Rows(what, self._left)
        digests, total, complete = rows.digests(data)
        if not digests:
            raise RecorderError(f"{what}: there are no rows")
        self._left = rows.left
        self._compare(digests, number)
        self._digests.append(digests)
        entry = {
            "name": name,
            "role": role or _role(name),
            "fold": number,
            "rows": len(digests),
            "complete": complete,
            "digest": f"{total:032x}",
        }
        self._entries.append(entry)

    def _compare(self, digests: array.array[int], fold: int | None) -> None:
        mine = set(digests)
        for position, other in enumerate(self._digests):
            if self._entries[position]["fold"] != fold:
                continue  # a row is in the training data of one fold and outside in another
            shared = len(mine.intersection(other))
            if shared:
                pair = {"first": position, "second": len(self._entries), "rows": shared}
                self._overlaps.append(pair)

    def written(self) -> tuple[list[dict[str, Any]], list[dict[str, int]]]:
        """The splits, and the pairs of them (by position) that share rows."""
        return self._entries, self._overlaps


def _role(name: str) -> str:
    folded = name.lower()
    for role, starts in _STARTS.items():
        if folded.startswith(starts):
            return role
    return "other"


class _Rows:
    """The digests of one split's rows, as long as there is room."""

    def __init__(self, what: str, left: int) -> None:
        self._what = what
        self.left = left

    def digests(self, data: Any) -> tuple[array.array[int], int, bool]:
        """Eight bytes of each row's digest, the sum of all whole ones, and whether all were taken.

        The sum names the content whatever its order, and counts a row as often as it occurs.
        """
        kept, total = array.array("Q"), 0
        for row in self._encoded(data):
            if len(kept) >= MAX_ROWS or self.left < 0:
                return kept, total, False
            digest = hashlib.blake2b(row, digest_size=16).digest()
            kept.append(int.from_bytes(digest[:8], "big"))
            total = (total + int.from_bytes(digest, "big")) % 2**128
        return kept, total, True

    def _encoded(self, data: Any) -> Iterator[bytes]:
        if _is_parts(data):
            yield from self._of_rows(zip(*map(_plain_rows, data), strict=True))
            return
        if hasattr(data, "detach") and hasattr(data, "numpy"):
            data = _untracked(data)
        if _length(data) is not None:
            yield from self._of_array(data)
        elif isinstance(data, Mapping):
            yield from self._of_rows(self._columns(data))
        elif isinstance(data, str | bytes | os.PathLike):
            raise RecorderError(
                f"{self._what}: a {type(data).__name__} where rows are expected;"
                " read the file and give its rows, or give a list of files"
            )
        else:
            yield from self._of_rows(self._iterated(data))

    def _iterated(self, data: Any) -> Iterator[Any]:
        if not hasattr(data, "__iter__") and hasattr(data, "__getitem__"):
            return (data[position] for position in range(len(data)))  # a data set of torch
        try:
            return iter(data)
        except TypeError:
            raise RecorderError(
                f"{self._what}: a {type(data).__name__} where rows are expected"
            ) from None

    def _columns(self, data: Mapping[Any, Any]) -> Iterable[Any]:
        columns = [list(_plain_rows(column)) for column in data.values()]
        if len({len(column) for column in columns}) > 1:
            raise RecorderError(f"{self._what}: the columns have different lengths")
        return zip(*columns, strict=True)

    def _of_array(self, data: Any) -> Iterator[bytes]:
        """Arrays and data frames; numbers of an array go as doubles, without becoming objects."""
        if not hasattr(data, "dtype") or not hasattr(data, "astype"):
            yield from self._of_rows(_plain_rows(data))
            return
        for chunk in _chunks(data):
            doubles = _doubles(chunk)
            if doubles is None:
                yield from self._of_rows(_plain_rows(chunk))
                continue
            for row in doubles:
                encoded = row.tobytes()
                self.left -= len(encoded)
                yield b"D" + encoded

    def _of_rows(self, rows: Iterable[Any]) -> Iterator[bytes]:
        for row in rows:
            if isinstance(row, pathlib.PurePath):
                yield self._of_file(row)
                continue
            values: list[Any] = []
            self._flatten(row, values, 0)
            self.left -= OBJECT_BYTES * max(1, len(values))
            yield _bytes_of(values)

    def _of_file(self, path: pathlib.PurePath) -> bytes:
        digest = hashlib.blake2b(digest_size=32)
        with open_regular(self._what, path) as file:
            while self.left >= 0 and (block := file.read(1024 * 1024)):
                self.left -= len(block)
                digest.update(block)
        self.left -= OBJECT_BYTES
        return b"F" + digest.digest()

    def _flatten(self, value: Any, into: list[Any], depth: int) -> None:
        """A row's leaves: numbers, texts, bytes and None."""
        if depth > MAX_ROW_DEPTH:
            raise RecorderError(f"{self._what}: a row is nested more than {MAX_ROW_DEPTH} deep")
        if value is None or isinstance(value, str | bytes | int | float):
            into.append(value)
        elif isinstance(value, Mapping):
            for name in sorted(value, key=str):
                into.append(str(name))
                self._flatten(value[name], into, depth + 1)
        elif hasattr(value, "tolist"):
            inner = value.tolist()
            if type(inner) is type(value):
                inner = float(inner)
            self._flatten(inner, into, depth + 1)
        elif isinstance(value, list | tuple):
            for item in value:
                self._flatten(item, into, depth + 1)
        elif hasattr(value, "isoformat"):
            into.append(value.isoformat())
        elif hasattr(value, "tobytes"):  # an image
            into.append(value.tobytes())
        elif hasattr(value, "__float__"):
            into.append(float(value))
        else:
            raise RecorderError(
                f"{self._what}: a row holds a {type(value).__name__};"
                " give rows of numbers, texts, dates, arrays and lists of them"
            )


def _is_parts(data: Any) -> bool:
    """Features and labels beside each other, not two long rows."""
    if not isinstance(data, tuple) or len(data) < 2:
        return False
    lengths = {_length(part) for part in data}
    return len(lengths) == 1 and None not in lengths


def _length(data: Any) -> int | None:
    """The rows of an array, a tensor or a data frame; None for everything else."""
    shape = getattr(data, "shape", None)
    if not isinstance(shape, tuple | list) or len(shape) == 0:
        return None
    return int(shape[0])


def _plain_rows(data: Any) -> Iterable[Any]:
    """Rows as Python's own values, a chunk at a time where that saves memory."""
    if hasattr(data, "itertuples"):
        return data.itertuples(index=False, name=None)  # a pandas data frame
    if hasattr(data, "iter_rows"):
        return data.iter_rows()  # a polars data frame
    if hasattr(data, "tocsr"):
        return (row for chunk in _chunks(data.tocsr()) for row in chunk.toarray())
    if _length(data) is not None and hasattr(data, "tolist"):
        return (row for chunk in _chunks(data) for row in chunk.tolist())
    return iter(data)


def _untracked(tensor: Any) -> Any:
    """A tensor of torch as an array, where numpy knows its type."""
    try:
        return tensor.detach().cpu().numpy()
    except TypeError:
        return tensor.detach()


def _chunks(data: Any) -> Iterator[Any]:
    return (data[start : start + _CHUNK] for start in range(0, int(data.shape[0]), _CHUNK))


def _doubles(chunk: Any) -> Any:
    """The rows of an array as doubles, if none of them changes by it."""
    kind = getattr(chunk.dtype, "kind", "")
    if kind not in tuple("biuf") or chunk.dtype.itemsize > 8 or not hasattr(chunk, "reshape"):
        return None
    if 0 in chunk.shape:
        return None
    doubles = chunk.reshape(chunk.shape[0], -1).astype("<f8") + 0.0  # and no minus zero
    if kind in "iu" and chunk.dtype.itemsize == 8 and bool((abs(doubles) >= LARGEST_EXACT).any()):
        return None
    return doubles


def _bytes_of(values: list[Any]) -> bytes:
    if all(isinstance(value, int | float) for value in values) and all(
        not isinstance(value, int) or -LARGEST_EXACT < value < LARGEST_EXACT for value in values
    ):
        doubles = array.array("d", [value + 0.0 for value in values])
        return b"D" + doubles.tobytes()
    parts = [b"M"]
    for value in values:
        tag = b"t" if isinstance(value, str) else b"b" if isinstance(value, bytes) else b"n"
        text = value if isinstance(value, bytes) else _text(value).encode("utf-8", "surrogatepass")
        parts += [tag, len(text).to_bytes(8, "big"), text]
    return b"".join(parts)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_EXACT:
        value = int(value)  # 1 and 1.0 are one value, as they are among numbers alone
    return repr(int(value) if isinstance(value, bool) else value)
