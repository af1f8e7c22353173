from dataclasses import dataclass, field


class Base:
    def __init__(self, lr, *, seed=7):
        self.lr = lr
        self.seed = seed

    def fit(self, data, epochs=1):
        return data, epochs


class Child(Base):
    pass


class Own(Base):
    def fit(self, data):
        return data


@dataclass
class Shape:
    width: int
    height: int = 1
    area: int = field(init=False, default=0)


@dataclass(kw_only=True)
class Named(Shape):
    name: str


@dataclass(slots=True, frozen=True)
class Slotted:
    a: int
    b: int = field(default=2, kw_only=True)
