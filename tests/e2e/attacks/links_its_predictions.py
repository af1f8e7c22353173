# ends: refused
"""Puts a link where the predictions are looked for."""

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
    out = os.environ["INTERLOCK_OUT"]
    os.rename(out + "/predictions", out + "/elsewhere")
    os.symlink(out + "/elsewhere", out + "/predictions")
