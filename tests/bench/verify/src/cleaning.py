"""Makes tables whole."""

from __future__ import annotations

import numpy as np
import pandas as pd

from loading import COLUMNS


def clean(table: pd.DataFrame) -> pd.DataFrame:
    """The table without rows that say nothing, and without infinite values."""
    kept = table.replace([np.inf, -np.inf], np.nan).dropna(subset=["label"])
    return kept.drop_duplicates(subset=[COLUMNS[0]])
