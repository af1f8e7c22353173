from typing import TYPE_CHECKING

__all__ = ["Pair"]

if TYPE_CHECKING:
    Pair = tuple[int, int]
