from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar


@dataclass
class Base:
    lr: float
    seed: int = 7


@dataclass(frozen=True)
class Child(Base):
    epochs: int = 3
    names: list[str] = field(default_factory=list)
    total: int = field(init=False)
    KIND: ClassVar[str] = "child"


@dataclass(kw_only=True)
class Keywords:
    a: int
    b: int = 2


@dataclass
class Mixed:
    a: int
    _: KW_ONLY
    b: int
