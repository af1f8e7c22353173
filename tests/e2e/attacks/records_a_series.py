# ends: accepted
# evidence: recorded
"""Learns from epoch to epoch, and is judged by the last one."""

from __future__ import annotations


def run(config, recorder):
    """Runs."""
    for epoch in range(10):
        recorder.metric("accuracy", 0.5 + epoch / 20, "fraction", step=epoch)
