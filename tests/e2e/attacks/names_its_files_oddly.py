# ends: accepted
"""Writes files whose names no export could give to a file."""

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
    out = os.environb[b"INTERLOCK_OUT"]
    for name in [
        b"new\nline",
        b"\xff\xfe",
        b"\x1b[2J",
        b"-rf",
        b"con",
        b" ",
        b"a plot.png",
        b"n" * 255,
    ]:
        with open(out + b"/" + name, "wb") as file:
            file.write(name)
