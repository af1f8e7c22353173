"""Tables for people."""

from __future__ import annotations

import numpy as np
import pandas as pd


def summary(values: dict[str, float]) -> pd.DataFrame:
    """One row per metric, rounded for reading."""
    table = pd.DataFrame({"metric": list(values), "value": list(values.values())})
    table["value"] = np.round(table["value"], 4)
    return table.sort_values("metric")
