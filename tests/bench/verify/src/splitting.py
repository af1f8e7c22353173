"""Splits tables once, the same way each time."""

from __future__ import annotations

import pandas as pd
from sklearn.model_selection import StratifiedKFold, train_test_split

from config import TrainingConfig


def split(table: pd.DataFrame, config: TrainingConfig) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training part and test part."""
    train, test = train_test_split(
        table, test_size=config.test_share, stratify=table["label"], random_state=config.seed
    )
    return train, test


def folds(config: TrainingConfig) -> StratifiedKFold:
    """Folds for the search."""
    return StratifiedKFold(config.folds, shuffle=True, random_state=config.seed)
