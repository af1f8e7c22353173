"""A line that learns."""

from __future__ import annotations


class Model:
    """What every model can do."""

    def predict(self, x: float) -> float:
        raise RuntimeError("a model has to say how it predicts")

    def loss(self, samples: list[tuple[float, float]]) -> float:
        return sum((self.predict(x) - y) ** 2 for x, y in samples) / len(samples)


class Line(Model):
    """`y = slope * x + offset`."""

    def __init__(self, slope: float = 0.0, offset: float = 0.0) -> None:
        self.slope = slope
        self.offset = offset

    def predict(self, x: float) -> float:
        return self.slope * x + self.offset

    def step(self, batch: list[tuple[float, float]], rate: float) -> None:
        for x, y in batch:
            error = self.predict(x) - y
            self.slope -= rate * error * x
            self.offset -= rate * error


def build_model(name: str, **options: float) -> Model:
    """A model by its name."""
    if name == "line":
        return Line(**options)
    raise KeyError(name)
