import enum
from typing import TYPE_CHECKING

__all__ = ["Flag", "Pair"]

if TYPE_CHECKING:
    Pair = tuple[int, int]


@enum.global_enum
class Flag(enum.IntFlag):
    FAST = 1
    SMALL = 2
