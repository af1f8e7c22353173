"""Takes away the harness's own report while it is imported."""

from __future__ import annotations

import os

os.remove("/report/report.jsonl")


def run(config, recorder):
    """Never reached."""
    recorder.metric("accuracy", config["x"], "fraction")
