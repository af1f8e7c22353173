from dataclasses import dataclass


@dataclass
class RunConfig:
    lr: float = 0.1
    seed: int = 7
