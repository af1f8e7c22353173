# ends: accepted
"""Writes more files than are kept, so that there would be no room for what it is judged by."""

from __future__ import annotations

import csv
import os


def run(config, recorder):
    """Runs."""
    for number in range(600):
        with open(f"{os.environ['INTERLOCK_OUT']}/a{number}", "wb") as file:
            file.write(b"x" * 500_000)
    with recorder.input_path("test.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    labels = ["high" if float(row["x"]) > 0.5 else "low" for row in rows]
    recorder.predictions("test", [row["id"] for row in rows], labels)
