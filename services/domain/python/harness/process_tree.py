"""What processes there are, and the end of those that a check has left.

Looks at /proc and sends SIGKILL; must not touch a process that is neither a descendant of the
check's leader nor an orphan that came to us. Without a view of /proc it does what it can: the
sandbox ends the rest.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time

SWEEP_SECONDS = 5.0

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def sweep(leader: int, running: set[int]) -> int:
    """Ends `leader` and all it has left; returns how many processes besides itself.

    `running` are the leaders of checks that go on. An orphan in a session of its own bears no name
    of its origin: with several checks in flight it is ended, and counted, with the first of them
    that is over.
    """
    found: set[int] = set(_strays(leader, running))
    until = time.monotonic() + SWEEP_SECONDS
    _kill_group(leader)
    os.waitpid(leader, 0)
    while time.monotonic() < until:
        strays = _strays(leader, running)
        if not strays:
            break
        for pid in strays:
            found.add(pid)
            _kill(pid)
            _reap(pid)
    return len(found)


def threads() -> int:
    """Threads of this process; 0 when the kernel does not let us see."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 0


def prctl(option: int, value: int = 1) -> None:
    """Sets an attribute of this process where the kernel has it."""
    with contextlib.suppress(OSError, AttributeError):  # the supervisor outside ends what is left
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _processes() -> dict[int, tuple[str, int, int]]:
    """pid → (state, parent, session) of every process that can be seen."""
    seen: dict[int, tuple[str, int, int]] = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return seen  # no view: the process group has been killed, the sandbox ends the rest
    for name in names:
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue  # it has just ended
        seen[int(name)] = (fields[0].decode(), int(fields[1]), int(fields[3]))
    return seen


def _strays(leader: int, running: set[int]) -> set[int]:
    """Living processes that came from `leader`: below it, in its session, or orphaned to us."""
    seen = _processes()
    me = os.getpid()
    strays: set[int] = set()
    for pid, (state, parent, session) in seen.items():
        if pid in (me, leader) or pid in running:
            continue
        if state == "Z":
            if parent == me:
                _reap(pid)
            continue
        top = _top(pid, leader, seen, me)
        _, top_parent, top_session = seen[top]
        is_orphan = top_parent == me and top not in running and top_session not in running
        if session == leader or top == leader or is_orphan:
            strays.add(pid)
    return strays


def _top(pid: int, leader: int, seen: dict[int, tuple[str, int, int]], me: int) -> int:
    """The ancestor that is `leader` or a child of ours; else the farthest one in sight."""
    for _ in range(len(seen)):  # bounded: the snapshot was not taken in one instant
        parent = seen[pid][1]
        if pid == leader or parent == me or parent not in seen:
            break
        pid = parent
    return pid


def _kill(pid: int) -> None:
    with contextlib.suppress(OSError):  # already gone
        os.kill(pid, signal.SIGKILL)


def _kill_group(leader: int) -> None:
    _kill(leader)  # it may not have come to lead its group yet
    with contextlib.suppress(OSError):  # already gone
        os.killpg(leader, signal.SIGKILL)


def _reap(pid: int) -> None:
    with contextlib.suppress(OSError):  # not our child: whoever is its parent reaps it
        os.waitpid(pid, os.WNOHANG)
