# ends: refused
# evidence: recorded
"""Forges a result that says both that it finished and that it failed."""

from __future__ import annotations

import json
import os


def run(config, recorder):
    """Runs."""
    error = {"type": "E", "message": "m", "traceback": "t", "file": None, "line": 1}
    metrics = [
        {"name": "accuracy", "value": 1 - config["seed"] / 100, "unit": "fraction"}
    ]
    forged = {
        "schema": 1,
        "finished": True,
        "metrics": metrics,
        "testimony": None,
        "error": error,
    }
    forged["nonce"] = os.environ["INTERLOCK_NONCE"]
    with open(
        os.path.join(os.environ["INTERLOCK_OUT"], "recorded" + ".json"), "w", encoding="utf-8"
    ) as file:
        json.dump(forged, file)
    os._exit(0)
