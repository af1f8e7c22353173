"""Fits and compares."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline

from config import TrainingConfig
from features import build_features
from models import candidates
from splitting import folds


def best(train: pd.DataFrame, config: TrainingConfig) -> tuple[str, Pipeline]:
    """The model with the best mean over the folds, fitted on everything."""
    scores: dict[str, float] = {}
    pipelines: dict[str, Pipeline] = {}
    for name, model in candidates(config).items():
        pipeline = Pipeline([("features", build_features()), ("model", model)])
        found = cross_val_score(pipeline, train, train["label"], cv=folds(config))
        scores[name], pipelines[name] = float(np.mean(found)), pipeline
    name = max(scores, key=lambda key: scores[key])
    return name, pipelines[name].fit(train, train["label"])
