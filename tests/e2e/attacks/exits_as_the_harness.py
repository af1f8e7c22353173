# ends: failed code
"""Ends with the status by which the entry point says that it was set up wrongly."""

from __future__ import annotations

import os


def run(config, recorder):
    """Runs."""
    os._exit(70)
