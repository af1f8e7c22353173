"""Which models are tried."""

from __future__ import annotations

from sklearn.base import ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from config import TrainingConfig


def candidates(config: TrainingConfig) -> dict[str, ClassifierMixin]:
    """Models by name."""
    found: dict[str, ClassifierMixin] = {"linear": LogisticRegression(max_iter=500)}
    for depth in config.depths:
        found[f"forest-{depth}"] = RandomForestClassifier(max_depth=depth, random_state=config.seed)
    found["boosting"] = HistGradientBoostingClassifier(random_state=config.seed)
    return found
