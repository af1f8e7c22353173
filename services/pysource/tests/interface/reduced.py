"""Loads rows."""
from __future__ import annotations
import functools
from dataclasses import dataclass, field
try:
    import fast as impl
except ImportError as error:
    impl = None
__all__ = ["Rows", "load"]
LIMIT = 10
TABLE = ...
@dataclass(frozen=True)
class Rows:
    """Rows of a table."""
    names: list[str]
    values: list[float] = field(default_factory=list)
    @property
    def size(self) -> int:
        """How many."""
        ...
    def first(
        self,
        count: int = 1,  # at: most
    ) -> list[float]:
        ...
class Wrong(ValueError):
    """Rows that are none."""
    ...
@functools.cache
def load(path: str, *, strict: bool = False) -> Rows:
    """Reads `path`."""
    ...
if impl is None:
    def dumps(value):
        ...
else:
    dumps = impl.dumps
