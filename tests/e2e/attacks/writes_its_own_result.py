# ends: accepted
# evidence: recorded
# says: the program wrote a result.json of its own
"""Leaves a result that looks like the harness's; it counts for nothing, and is not kept."""

from __future__ import annotations

import json


def run(config, recorder):
    """Runs."""
    name = "".join(["result", ".js", "on"])
    folder = recorder.output_path("x").parent
    (folder / name).write_text(json.dumps({"schema": 2, "evidence": {"judgement": "accepted"}}))
    recorder.metric("accuracy", 1 - config["seed"] / 100, "fraction")
