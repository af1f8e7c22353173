"""What a run may set."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class TrainingConfig:
    """Everything that the experiment reads."""

    seed: int = 7
    folds: int = 5
    test_share: float = 0.2
    depths: tuple[int, ...] = (3, 5, 8)
    weights: np.ndarray = field(default_factory=lambda: np.ones(2))

    def generator(self) -> np.random.Generator:
        """A generator of its own for each caller."""
        return np.random.default_rng(self.seed)
