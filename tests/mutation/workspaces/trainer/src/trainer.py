"""The loop."""

import logging
from dataclasses import dataclass

from config import TrainConfig
from data import Loader
from model import Line

log = logging.getLogger(__name__)


@dataclass
class History:
    """Losses by epoch."""

    train: list[float]
    valid: list[float]

    @property
    def best(self) -> float:
        return min(self.valid)


class Trainer:
    """Trains a line."""

    def __init__(self, model: Line, config: TrainConfig) -> None:
        self.model = model
        self.config = config
        self.history = History(train=[], valid=[])

    def fit(self, train: Loader, valid: Loader) -> History:
        for epoch in range(self.config.epochs):
            for batch in train:
                self.model.step(batch, self.config.rate)
            self._note(epoch, train, valid)
        return self.history

    def _note(self, epoch: int, train: Loader, valid: Loader) -> None:
        self.history.train.append(self.model.loss(train.samples))
        self.history.valid.append(self.model.loss(valid.samples))
        log.info("epoch %d: %.4f", epoch, self.history.best)
