"""The steps: read, clean, count."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from options import CleanOptions

WORD = re.compile(r"[A-Za-z]+")


def read_lines(path: Path, *, encoding: str = "utf-8") -> Iterator[str]:
    with path.open(encoding=encoding) as file:
        yield from (line.rstrip("\n") for line in file)


def words(lines: Iterable[str], *, options: CleanOptions) -> Iterator[str]:
    for line in lines:
        for match in WORD.finditer(line):
            word = normal(match.group(), lower=options.lower)
            if word not in options.drop:
                yield word


@lru_cache(maxsize=None)
def normal(word: str, *, lower: bool) -> str:
    return word.lower() if lower else word


def count(found: Iterable[str], *, top: int) -> list[tuple[str, int]]:
    counts = Counter(found)
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:top]
