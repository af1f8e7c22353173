from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import datetime as dt


def is_date(value: dt.date) -> bool:
    return isinstance(value, dt.date)


class Day(dt.date):
    pass
