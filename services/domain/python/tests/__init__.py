"""Tests of the harness-owned Python: standard library only, `python3 -m unittest discover`."""

import sys
from pathlib import Path

PYTHON = Path(__file__).resolve().parent.parent
SRC = PYTHON / "src"
HARNESS = PYTHON / "harness"
CASES = PYTHON / "tests" / "cases"

sys.path[:0] = [str(SRC), str(HARNESS)]
