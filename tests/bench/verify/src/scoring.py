"""What a model is worth."""

from __future__ import annotations

import pandas as pd
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.pipeline import Pipeline


def scores(pipeline: Pipeline, test: pd.DataFrame) -> dict[str, float]:
    """Metrics by name, as fractions."""
    guessed = pipeline.predict(test)
    certain = pipeline.predict_proba(test)[:, 1]
    return {
        "accuracy": float(accuracy_score(test["label"], guessed)),
        "auc": float(roc_auc_score(test["label"], certain)),
    }
