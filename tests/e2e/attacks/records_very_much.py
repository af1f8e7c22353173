# ends: accepted
"""Records more numbers than a record of the chain can hold."""

from __future__ import annotations

import csv


def predict(recorder):
    """Predicts rightly."""
    with recorder.input_path("test.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    labels = ["high" if float(row["x"]) > 0.5 else "low" for row in rows]
    recorder.predictions("test", [row["id"] for row in rows], labels)


def run(config, recorder):
    """Runs."""
    predict(recorder)
    for number in range(9_990):
        recorder.metric(f"{'m' * 50}{number}", number, "none", split="s" * 60)
