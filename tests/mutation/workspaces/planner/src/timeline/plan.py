"""Who does what when."""

from __future__ import annotations

from datetime import datetime

from timeline.tasks import Queue, State, Task
from timeline.times import Span


class Conflict(Exception):
    def __init__(self, first: Task, second: Task) -> None:
        super().__init__(f"{first.title} and {second.title} overlap")
        self.tasks = (first, second)


class Plan:
    def __init__(self, begin: datetime, *, slot: int = 30) -> None:
        self.begin = begin
        self.slot = slot
        self.done: list[Task] = []

    def schedule(self, queue: Queue) -> list[Task]:
        at = self.begin
        planned = []
        while queue:
            task = queue.pop()
            task.span = Span.of(at, minutes=self.slot)
            at = task.span.end
            planned.append(task)
        return planned

    def check(self, tasks: list[Task]) -> None:
        for index, task in enumerate(tasks):
            for other in tasks[index + 1 :]:
                if task.span and other.span and task.span.overlaps(other.span):
                    raise Conflict(task, other)

    def finish(self, task: Task) -> int:
        task.finish()
        self.done.append(task)
        return len(self.done)


def open_tasks(tasks: list[Task]) -> list[str]:
    return [task.title for task in tasks if task.state == State.parse("OPEN")]
