"""Parts of the data."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Fold:
    number: int
    train: tuple
    test: tuple

    @property
    def sizes(self) -> tuple[int, int]:
        return len(self.train), len(self.test)


class KFold:
    def __init__(self, folds: int = 3, *, shuffle: bool = False, seed: int | None = None) -> None:
        if folds < 2:
            raise ValueError("at least two folds")
        self.folds = folds
        self.shuffle = shuffle
        self.seed = seed

    def split(self, rows: Sequence) -> Iterator[Fold]:
        rows = list(rows)
        if self.shuffle:
            random.Random(self.seed).shuffle(rows)
        for number in range(self.folds):
            test = tuple(rows[number :: self.folds])
            train = tuple(row for row in rows if row not in test)
            yield Fold(number=number, train=train, test=test)
