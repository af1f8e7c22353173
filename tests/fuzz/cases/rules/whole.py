"""Loads rows.

More words.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

try:
    import fast as impl
except ImportError as error:
    impl = None

__all__ = ["Rows", "load"]
LIMIT = 10
TABLE = [
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
    "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc",
]


@dataclass(frozen=True)
class Rows:
    """Rows of a table."""

    names: list[str]
    values: list[float] = field(default_factory=list)

    @property
    def size(self) -> int:
        """How many."""
        return len(self.values)

    def first(
        self,
        count: int = 1,  # at: most
    ) -> list[float]:
        return self.values[:count]


class Wrong(ValueError):
    """Rows that are none."""


@functools.cache
def load(path: str, *, strict: bool = False) -> Rows:
    """Reads `path`.

    More words.
    """
    for line in open(path):
        print(line)
    return Rows([])


if impl is None:

    def dumps(value):
        return str(value)

else:
    dumps = impl.dumps

for name in __all__:
    print(name)
