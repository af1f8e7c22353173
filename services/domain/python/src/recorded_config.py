"""The configuration that `run` gets: a dictionary that notes what was read of it, and what was set.

Must not know what was asked for, and must not judge: the executor compares. Every way to a value
counts as reading it, a copy of the whole too; looking at the names alone does not.
"""

from __future__ import annotations

import collections.abc
import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recorded_values import RecorderError, plain

MAX_USED = 1_000
MAX_USED_LENGTH = 4_000
MAX_READ = 10_000

Path = tuple[str, ...]


class Notes:
    """What happened to one configuration and the tables in it."""

    def __init__(self) -> None:
        self._read: dict[Path, None] = {}
        self._used: list[dict[str, Any]] = []

    def read(self, path: Path) -> None:
        """Somebody took the value at `path`."""
        if len(self._read) < MAX_READ:
            self._read[path] = None

    def use(self, name: str, value: Any) -> None:
        """The program says that it works with this value."""
        copied = plain(value)
        length = len(json.dumps(copied))
        if length > MAX_USED_LENGTH:
            raise RecorderError(
                f"used {name}: the value takes {length} characters, and at most {MAX_USED_LENGTH}"
                " are kept; say in short what it is"
            )
        entry = {"name": name, "value": copied}
        if entry in self._used:
            return
        if len(self._used) >= MAX_USED:
            raise RecorderError(f"used {name}: more than {MAX_USED} different values")
        self._used.append(entry)

    def set(self, path: Path, value: Any) -> None:
        """The program shows by setting it that it works with this value; never raises."""
        name = ".".join(path)
        try:
            self.use(name, value)
        except RecorderError:
            with contextlib.suppress(RecorderError):
                self.use(name, f"<cut: {type(value).__name__}>")

    def written(self) -> dict[str, Any]:
        """Both, for the result."""
        return {"read": [list(path) for path in self._read], "used": self._used}


class Config(dict[str, Any]):
    """A table of the configuration; use it as the dictionary that it is."""

    __slots__ = ("_asked", "_notes", "_path")

    def __init__(self, values: Mapping[str, Any], notes: Notes, path: Path = ()) -> None:
        super().__init__()
        self._notes = notes
        self._path = path
        self._asked = frozenset(values)
        for name, value in values.items():
            inner = Config(value, notes, (*path, name)) if _is_table(value) else value
            dict.__setitem__(self, name, inner)

    def _taken(self, name: str, value: Any) -> Any:
        # Of a table, what is in it counts; what the program put there itself was not asked for.
        if name in self._asked and not isinstance(value, Config):
            self._notes.read((*self._path, name))
        return value

    def __getitem__(self, name: str) -> Any:
        return self._taken(name, super().__getitem__(name))

    def __iter__(self) -> Iterator[str]:
        # Overridden so that `dict(config)` and `f(**config)` come through `__getitem__` as well.
        return super().__iter__()

    def get(self, name: str, default: Any = None) -> Any:
        """As a dictionary's."""
        return self._taken(name, super().get(name)) if name in self else default

    def items(self) -> Any:
        """As a dictionary's; a value counts as read when it is reached."""
        return collections.abc.ItemsView(self)

    def values(self) -> Any:
        """As a dictionary's; a value counts as read when it is reached."""
        return collections.abc.ValuesView(self)

    def copy(self) -> dict[str, Any]:
        """As a dictionary's."""
        return dict(self.items())

    def pop(self, name: str, *default: Any) -> Any:
        """As a dictionary's."""
        return self._taken(name, super().pop(name)) if name in self else super().pop(name, *default)

    def popitem(self) -> tuple[str, Any]:
        """As a dictionary's."""
        name, value = super().popitem()
        return name, self._taken(name, value)

    def setdefault(self, name: str, default: Any = None) -> Any:
        """As a dictionary's."""
        if name not in self:
            self[name] = default
        return self[name]

    def __setitem__(self, name: str, value: Any) -> None:
        if name in self._asked:  # the rest is the program's own, and nobody asked for it
            self._notes.set((*self._path, name), value)
        super().__setitem__(name, value)

    def update(self, *others: Mapping[str, Any] | Iterable[tuple[str, Any]], **named: Any) -> None:
        """As a dictionary's."""
        for name, value in dict(*others, **named).items():
            self[name] = value

    def __ior__(self, other: Any) -> Config:
        self.update(other)
        return self

    def __or__(self, other: Any) -> dict[str, Any]:
        return self.copy() | other

    def __ror__(self, other: Any) -> dict[str, Any]:
        return other | self.copy()

    def __reduce_ex__(self, protocol: Any) -> Any:
        # For copies and other processes: a plain dictionary, since nobody would see its notes.
        return dict, (self._unnoted(),)

    def _unnoted(self) -> dict[str, Any]:
        return {
            name: value._unnoted() if isinstance(value, Config) else value
            for name, value in self.items()
        }


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) and bool(value)
