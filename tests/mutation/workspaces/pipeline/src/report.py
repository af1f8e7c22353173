"""Counts as text."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One line of the report."""

    word: str
    count: int
    share: float = 0.0

    def shown(self, width: int) -> str:
        return f"{self.word:<{width}} {self.count} {self.share:.0%}"


def rows(counts: list[tuple[str, int]]) -> list[Row]:
    total = sum(number for _, number in counts)
    return [Row(word, number, share=number / total) for word, number in counts]


def render(table: list[Row], title: str = "words") -> str:
    width = max(len(row.word) for row in table)
    return "\n".join([title, *(row.shown(width) for row in table)])
