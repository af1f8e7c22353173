"""Trains and looks at the result."""

from config import DataConfig, TrainConfig
from data import OFFSET, SLOPE, get_loaders
from model import Line, build_model
from trainer import Trainer


def main() -> None:
    data = DataConfig(size=40, noise=0.01)
    config = TrainConfig(data, rate=0.2, epochs=60, tags=["line"])
    train, valid = get_loaders(config.data, share=0.8)
    assert len(train) == 32 and len(valid) == 8
    model = build_model("line", slope=0.5)
    assert isinstance(model, Line)
    trainer = Trainer(model, config)
    history = trainer.fit(train, valid)
    assert history.best < 0.01, history
    assert history.train[0] > history.train[-1]
    assert abs(model.slope - SLOPE) < 0.2 and abs(model.offset - OFFSET) < 0.2
    slower = config.with_rate(0.01)
    assert (slower.rate, slower.epochs, slower.tags) == (0.01, 60, ["line"])
    try:
        config.with_rate(-1.0)
    except ValueError:
        pass
    else:
        raise AssertionError("a rate below 0 has to be refused")
    try:
        build_model("tree")
    except KeyError:
        return
    raise AssertionError("an unknown model has to be refused")


if __name__ == "__main__":
    main()
