# ends: refused
"""Predicts for one row with sixty million cells."""

from __future__ import annotations

import os


def run(config, recorder):
    """Runs."""
    folder = os.environ["INTERLOCK_OUT"] + "/predictions"
    os.makedirs(folder)
    with open(folder + "/test.csv", "w", encoding="utf-8") as file:
        file.write("id,prediction\n" + "," * (60 << 20))
