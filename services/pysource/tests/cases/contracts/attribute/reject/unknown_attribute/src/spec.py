from dataclasses import dataclass


@dataclass
class Spec:
    size: int = 1

    def area(self):
        return self.size * self.width


class Plain:
    kind = "plain"

    def __init__(self):
        self.value = 1
