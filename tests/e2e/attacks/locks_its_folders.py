# ends: accepted
"""Leaves folders behind that nobody may look into."""

from __future__ import annotations

import csv
import os


def predict(recorder):
    """Predicts rightly."""
    with recorder.input_path("test.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    labels = ["high" if float(row["x"]) > 0.5 else "low" for row in rows]
    recorder.predictions("test", [row["id"] for row in rows], labels)


def run(config, recorder):
    """Runs."""
    predict(recorder)
    inner = os.environ["INTERLOCK_OUT"] + "/a/b"
    os.makedirs(inner)
    with open(inner + "/c", "w", encoding="utf-8"):
        os.chmod(inner, 0)
    os.chmod(os.path.dirname(inner), 0)
