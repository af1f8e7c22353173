"""Tasks with a state."""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass, field
from enum import Enum

from timeline.times import Span

_NUMBERS = itertools.count(1)


class State(str, Enum):
    OPEN = "open"
    DONE = "done"

    @classmethod
    def parse(cls, text: str) -> State:
        return cls(text.lower())


@dataclass(order=True)
class Task:
    priority: int
    number: int = field(default_factory=lambda: next(_NUMBERS))
    title: str = field(default="", compare=False)
    span: Span | None = field(default=None, compare=False)
    state: State = field(default=State.OPEN, compare=False, init=False)

    def finish(self) -> None:
        self.state = State.DONE

    @property
    def is_open(self) -> bool:
        return self.state is State.OPEN


class Queue:
    def __init__(self, tasks: list[Task] | None = None) -> None:
        self._heap = list(tasks or [])
        heapq.heapify(self._heap)

    def push(self, task: Task) -> None:
        heapq.heappush(self._heap, task)

    def pop(self) -> Task:
        return heapq.heappop(self._heap)

    def __len__(self) -> int:
        return len(self._heap)

    def __bool__(self) -> bool:
        return bool(self._heap)
