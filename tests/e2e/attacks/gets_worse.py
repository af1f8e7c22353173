# ends: refused
# evidence: recorded
"""Begins well and ends badly."""

from __future__ import annotations


def run(config, recorder):
    """Runs."""
    for epoch in range(10):
        recorder.metric("accuracy", 0.95 - epoch / 20, "fraction", step=epoch)
