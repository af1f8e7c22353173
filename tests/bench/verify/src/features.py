"""Columns to numbers."""

from __future__ import annotations

from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

NUMERIC = ["age", "income"]
CATEGORIES = ["region"]


def build_features() -> ColumnTransformer:
    """A transformer that is fitted on training data alone."""
    numeric = make_pipeline(SimpleImputer(), StandardScaler())
    categories = OneHotEncoder(handle_unknown="ignore")
    return ColumnTransformer([("n", numeric, NUMERIC), ("c", categories, CATEGORIES)])
