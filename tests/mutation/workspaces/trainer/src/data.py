"""Samples of a line."""

import random

from config import DataConfig

SLOPE = 2.0
OFFSET = 1.0


def make_samples(config: DataConfig) -> list[tuple[float, float]]:
    """Points near the line."""
    source = random.Random(config.seed)
    samples = []
    for index in range(config.size):
        x = index / config.size
        noise = source.uniform(-config.noise, config.noise)
        samples.append((x, SLOPE * x + OFFSET + noise))
    return samples


def get_loaders(config: DataConfig, share: float = 0.75) -> tuple["Loader", "Loader"]:
    """Training and validation samples."""
    samples = make_samples(config)
    cut = int(len(samples) * share)
    return Loader(samples[:cut], batch=4), Loader(samples[cut:], batch=4)


class Loader:
    """Samples in batches."""

    def __init__(self, samples: list[tuple[float, float]], batch: int) -> None:
        self.samples = samples
        self.batch = batch

    def __iter__(self):
        for start in range(0, len(self.samples), self.batch):
            yield self.samples[start : start + self.batch]

    def __len__(self) -> int:
        return len(self.samples)
