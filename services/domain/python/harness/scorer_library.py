"""The scorer's metrics as scikit-learn computes them, where the task's environment has it.

Must not decide what is scored or what a number means. A library that cannot be loaded is no fault:
the harness's own functions give the same numbers.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Before numpy is loaded: scoring is one thread's work, and a pool of them takes room for nothing.
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Library:
    """A library that computes metrics."""

    name: str
    """Its name and version, for the result."""
    functions: dict[str, Callable[..., Any]]

    def compute(self, name: str, truth: list[Any], predicted: list[Any]) -> float:
        """The metric of this name; NaN where the library does not say."""
        function = self.functions.get(name)
        if function is None:
            return float("nan")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return float(function(truth, predicted))
            except (ValueError, OverflowError):
                return float("nan")


def load() -> Library | None:
    """scikit-learn, if it is there and works."""
    for name in _THREADS:
        os.environ.setdefault(name, "1")
    # What a library prints must not get between the answer's lines.
    with contextlib.redirect_stdout(sys.stderr), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import sklearn
            from sklearn import metrics
        except Exception:
            return None
        return Library(f"scikit-learn {sklearn.__version__}"[:100], _functions(metrics))


def _functions(metrics: Any) -> dict[str, Callable[..., Any]]:
    functions: dict[str, Callable[..., Any]] = {
        "accuracy": metrics.accuracy_score,
        "balanced_accuracy": metrics.balanced_accuracy_score,
        "roc_auc": metrics.roc_auc_score,
        "log_loss": functools.partial(metrics.log_loss, labels=[0, 1]),
        "mae": metrics.mean_absolute_error,
        "mse": metrics.mean_squared_error,
        "rmse": lambda truth, predicted: metrics.mean_squared_error(truth, predicted) ** 0.5,
        "r2": metrics.r2_score,
    }
    for average in ("macro", "micro", "weighted"):
        for kind in ("precision", "recall", "f1"):
            function = getattr(metrics, f"{kind}_score")
            functions[f"{kind}_{average}"] = functools.partial(
                function, average=average, zero_division=0
            )
    return functions
