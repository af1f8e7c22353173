"""Options that are given by name only."""

from __future__ import annotations

from dataclasses import KW_ONLY, asdict, dataclass, replace
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class CleanOptions:
    """What is cleaned away."""

    lower: bool = True
    drop: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Options:
    """Everything that can be set."""

    source: Path
    _: KW_ONLY
    clean: CleanOptions
    top: int = 3

    def only(self, top: int) -> Options:
        return replace(self, top=top)

    def shown(self) -> dict[str, object]:
        return asdict(self)
