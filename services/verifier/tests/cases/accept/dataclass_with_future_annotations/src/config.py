from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Config:
    lr: float = 0.1
    name: str | None = None
