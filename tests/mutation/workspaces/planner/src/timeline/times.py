"""Spans of time."""

from datetime import datetime, timedelta
from typing import NamedTuple


class Span(NamedTuple):
    start: datetime
    end: datetime

    @classmethod
    def of(cls, start: datetime, *, minutes: int) -> "Span":
        return cls(start, start + timedelta(minutes=minutes))

    def overlaps(self, other: "Span") -> bool:
        return self.start < other.end and other.start < self.end

    @property
    def minutes(self) -> int:
        return int((self.end - self.start).total_seconds() // 60)


def day(year: int, month: int, day: int, hour: int = 0) -> datetime:
    return datetime(year, month, day, hour)
