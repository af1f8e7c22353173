"""One set of settings for all."""

from dataclasses import dataclass, field


@dataclass
class Physics:
    gravity: float = -10.0
    drag: float = 0.0


@dataclass
class Settings:
    step: float = 0.1
    steps: int = 10
    physics: Physics = field(default_factory=Physics)

    @property
    def duration(self) -> float:
        return self.step * self.steps


SETTINGS = Settings(steps=20)


def load(values: dict) -> Settings:
    physics = Physics(**values.pop("physics", {}))
    return Settings(physics=physics, **values)
