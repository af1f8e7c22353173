from abc import ABC, abstractmethod

import torch.nn as nn


class Loop(ABC):
    @abstractmethod
    def step(self): ...


class Fit(Loop):
    def step(self):
        raise NotImplementedError


class Net(nn.Module):
    def forward(self, x):
        raise NotImplementedError


class Reader:
    async def read(self):
        pass

    @classmethod
    def load(cls, path):
        ...


def train(config):
    """Train the model.

    Returns its score.
    """
    # Implementation goes here.
    return None
