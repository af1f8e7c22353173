from __future__ import annotations

import math
from pathlib import Path


def load(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text())


class Circle:
    tau = math.tau

    def area(self, radius):
        return tau * radius * radius / 2

    def around(self):
        return [raduis for radius in (1, 2)]


def outer():
    def inner():
        return missing.attribute
    return inner, (lambda known: unknown)


try:
    load(Path("x"))
except NameError:
    raise
try:
    absent
except ValueError:
    pass
