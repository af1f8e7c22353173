"""Plans a day."""

from timeline import plan as plans
from timeline.plan import Conflict, Plan
from timeline.tasks import Queue, State, Task
from timeline.times import Span, day


def main() -> None:
    begin = day(2024, 5, 1, hour=9)
    queue = Queue([Task(2, title="write"), Task(1, title="read")])
    queue.push(Task(priority=3, title="rest"))
    assert len(queue) == 3
    plan = Plan(begin, slot=20)
    tasks = plan.schedule(queue)
    assert [task.title for task in tasks] == ["read", "write", "rest"]
    assert all(task.span.minutes == 20 for task in tasks)
    plan.check(tasks)
    assert plan.finish(tasks[0]) == 1
    assert not tasks[0].is_open and tasks[1].is_open
    assert plans.open_tasks(tasks) == ["write", "rest"]
    assert State.parse("Done") is State.DONE
    tasks[1].span = Span.of(begin, minutes=90)
    try:
        plan.check(tasks)
    except Conflict as conflict:
        assert len(conflict.tasks) == 2
        assert "overlap" in str(conflict)
    else:
        raise AssertionError("an overlap has to be found")


if __name__ == "__main__":
    main()
