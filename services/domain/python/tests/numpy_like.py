"""Stand-ins that behave as numpy's scalars and arrays do, so that no package is needed here."""

from __future__ import annotations

from typing import Any


class Scalar:
    """Like `numpy.int64(3)` or `numpy.bool_(True)`: shape (), unwraps with `item()`."""

    shape = ()
    dtype = "scalar"

    def __init__(self, value: Any) -> None:
        self._value = value

    def item(self) -> Any:
        return self._value

    def tolist(self) -> Any:
        return self._value

    def __float__(self) -> float:
        return float(self._value)

    def __index__(self) -> int:
        return self._value.__index__()


class Extended(Scalar):
    """Like `numpy.longdouble`: unwrapping gives the same type again."""

    def item(self) -> Extended:
        return self

    tolist = item


class DoubleScalar(float):
    """Like `numpy.float64`, which is a Python float as well."""

    shape = ()
    dtype = "float64"

    def item(self) -> float:
        return float(self)


class Array:
    """Like a numpy array of some shape."""

    dtype = "float64"

    def __init__(self, values: list[Any], shape: tuple[int, ...] | None = None) -> None:
        self._values = values
        self.shape = (len(values),) if shape is None else shape

    def __iter__(self) -> Any:
        return iter(self._values)

    def __float__(self) -> float:
        return float(self._values[0])

    def item(self) -> Any:
        (value,) = self._values
        return value

    def tolist(self) -> list[Any]:
        return [value.item() if isinstance(value, Scalar) else value for value in self._values]
