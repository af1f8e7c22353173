"""Runs the whole of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cleaning import clean
from config import TrainingConfig
from loading import read_table
from reporting import summary
from scoring import scores
from splitting import split
from training import best


def run(config: dict[str, Any], recorder: Any) -> None:
    """From a table to recorded metrics."""
    settings = TrainingConfig(seed=int(config.get("seed", 7)))
    train, test = split(clean(read_table(Path("inputs/table.csv"))), settings)
    name, pipeline = best(train, settings)
    values = scores(pipeline, test)
    for metric, value in values.items():
        recorder.metric(metric, value, "fraction")
    print(name, summary(values).to_string())
