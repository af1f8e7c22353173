# ends: accepted
"""Leaves a daemon that would write other predictions after the end."""

from __future__ import annotations

import csv
import os
import time


def predict(recorder):
    """Predicts rightly."""
    with recorder.input_path("test.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    labels = ["high" if float(row["x"]) > 0.5 else "low" for row in rows]
    recorder.predictions("test", [row["id"] for row in rows], labels)


def run(config, recorder):
    """Runs."""
    predict(recorder)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(0.5)
            with open(
                os.environ["INTERLOCK_OUT"] + "/predictions/test.csv",
                "w",
                encoding="utf-8",
            ) as file:
                file.write("id,prediction\n")
        os._exit(0)
