# ends: failed code
"""Forges an error that no record of the chain could hold."""

from __future__ import annotations

import json
import os


def run(config, recorder):
    """Runs."""
    huge = "x" * (2 << 20)
    error = {
        "type": "E",
        "message": huge,
        "traceback": huge,
        "file": "src/experiment.py",
        "line": 1,
    }
    forged = {
        "schema": 1,
        "finished": False,
        "metrics": [],
        "testimony": None,
        "error": error,
    }
    forged["nonce"] = os.environ["INTERLOCK_NONCE"]
    with open(
        os.path.join(os.environ["INTERLOCK_OUT"], "recorded" + ".json"), "w", encoding="utf-8"
    ) as file:
        json.dump(forged, file)
    os._exit(1)
