"""Settings of the training."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class DataConfig:
    """Where samples come from."""

    size: int
    noise: float = 0.0
    seed: int = 7


@dataclass
class TrainConfig:
    """How training goes."""

    data: DataConfig
    rate: float = 0.1
    epochs: int = 20
    tags: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.rate <= 0:
            raise ValueError("rate has to be above 0")

    def with_rate(self, rate: float) -> TrainConfig:
        return TrainConfig(data=self.data, rate=rate, epochs=self.epochs, tags=list(self.tags))
