"""Ends the harness's own process while it is imported."""

from __future__ import annotations

import os
import signal

os.kill(os.getppid(), signal.SIGKILL)


def run(config, recorder):
    """Never reached."""
    recorder.metric("accuracy", config["x"], "fraction")
