"""Reads tables."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

COLUMNS = ("id", "age", "income", "region", "label")


def read_table(path: Path) -> pd.DataFrame:
    """A table with the columns that everything else expects."""
    table = pd.read_csv(path)
    missing = [name for name in COLUMNS if name not in table.columns]
    if missing:
        raise ValueError(f"{path} lacks {missing}")
    return table[list(COLUMNS)]
