import asyncio
import functools

import kinds
from kinds import (
    Box,
    Child,
    Coded,
    Color,
    Config,
    Counter,
    Hooked,
    Mode,
    Options,
    Own,
    Pair,
    Plain,
    Point,
    Problem,
    Registered,
    WithOptions,
    Wrapped,
    cached,
    later,
    opened,
    show,
)

print(Color(1), Mode("fast"), Point(1), Point(1, y=2), Options(lr=0.1), Pair(1, 2), Box[int](3), Box("x"))
print(Problem("a", "b"), Coded(1, 2, 3), Config(0.1, 3, ["a"]), Own(1, 2), Child(0.1, 2, [], 4), Plain(lr=1).more())
print(Wrapped(1, 2), Counter()(1, 2), Registered(1, 2), Hooked(), WithOptions())
counter = Counter()
print(counter(1), counter.action(1, 2), counter.chosen(3))
counter.choose(1, 2, 3)
counter.other("a", "b")
show.register(int)(lambda value: value)
print(show(1), cached(1), cached.cache_info(), cached.__wrapped__(1))
with opened("x", mode="w") as path:
    print(path)
print(asyncio.run(later(1)))
half = functools.partial(cached, 1)
print(half(), half(2), kinds.Config(*[0.1], **{"scale": 2}))
