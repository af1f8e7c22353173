from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Config:
    rate: float = 0.1
