"""Things in stock."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum


class Kind(Enum):
    """What sort of thing."""

    FOOD = "food"
    TOOL = "tool"

    @property
    def rate(self) -> Decimal:
        return Decimal("0.07") if self is Kind.FOOD else Decimal("0.19")


@dataclass(frozen=True, order=True)
class Item:
    """One sort of thing."""

    name: str
    price: Decimal
    kind: Kind = field(default=Kind.TOOL, compare=False)

    def gross(self) -> Decimal:
        return (self.price * (1 + self.kind.rate)).quantize(Decimal("0.01"))


@dataclass(frozen=True, order=True)
class Perishable(Item):
    """Does not keep."""

    days: int = 3

    def gross(self) -> Decimal:
        reduced = Decimal("0.5") if self.days <= 1 else Decimal(1)
        return (super().gross() * reduced).quantize(Decimal("0.01"))
