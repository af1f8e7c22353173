class Base:
    def __init__(self, size: int) -> None:
        self.size = size

    def step(self, rate: float) -> float:
        return rate

    def copy(self) -> "Base":
        return self


class Wide(Base):
    def step(self, rate: float, width: int = 1) -> float:
        return rate * width

    def extra(self):
        return self.size


class Mixin:
    def mixed(self):
        return 1


class Both(Mixin, Base):
    pass


class Plain:
    pass
