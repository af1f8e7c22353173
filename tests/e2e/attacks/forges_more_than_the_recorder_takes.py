# ends: refused
# evidence: recorded
# says: there are too many splits
"""Makes the recorder write more splits than it takes, to make the record too large to be written."""

from __future__ import annotations


def run(config, recorder):
    """Runs."""
    splits = recorder._splits
    splits.add("train", [[config["seed"]]], None, None)
    splits._entries.extend([dict(splits._entries[0], name=f"s{n}") for n in range(100_000)])
    recorder.metric("accuracy", 1 - config["seed"] / 100, "fraction")
