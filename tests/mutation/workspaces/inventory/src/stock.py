"""How many of each there are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal

from errors import OutOfStock
from items import Item, Kind


class Stock:
    """Counts by item."""

    def __init__(self) -> None:
        self._counts: dict[Item, int] = defaultdict(int)

    def put(self, item: Item, count: int = 1) -> None:
        self._counts[item] += count

    def take(self, item: Item, count: int = 1) -> Decimal:
        present = self._counts[item]
        if present < count:
            raise OutOfStock(item.name, count, present)
        self._counts[item] = present - count
        return item.gross() * count

    def count(self, item: Item) -> int:
        return self._counts[item]

    def of_kind(self, kind: Kind) -> Iterator[Item]:
        return (item for item in self._counts if item.kind is kind)

    def worth(self) -> Decimal:
        return sum((item.price * n for item, n in self._counts.items()), Decimal(0))


class LimitedStock(Stock):
    """Has room for so many only."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room

    def put(self, item: Item, count: int = 1) -> None:
        if self.total() + count > self.room:
            raise ValueError(f"no room for {count} of {item.name}")
        super().put(item, count)

    def total(self) -> int:
        return sum(self._counts.values())
