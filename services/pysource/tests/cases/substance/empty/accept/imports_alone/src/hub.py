"""Everything in one place."""

from parts import build
