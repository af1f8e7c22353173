"""Uses the settings."""

import json

from config import Config, load


def describe(values):
    """The settings as text."""
    config = load(values, strict=True)
    other = Config(name="large")
    return json.dumps([config.rate, other.name])
