from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    lr: float = 0.1


CONFIG = Config()


def load() -> Config:
    return Config()
