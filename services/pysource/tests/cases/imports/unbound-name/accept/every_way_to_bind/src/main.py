from __future__ import annotations

import os.path
import sys as system
from collections import deque as queue

first, (second, *rest) = 1, (2, 3)
counter = 0


def parameters(a, /, b, *args, c, **kwargs):
    return a, b, args, c, kwargs


def all_of_them(path: Undefined) -> "AlsoUndefined":
    global made_here
    made_here = os.path.join(path, system.argv[0])
    with open(path) as file:
        lines = [line for line in file if (found := line)]
    for index, line in enumerate(lines):
        pass
    else:
        print(index, found, queue(lines))
    try:
        nonlocal_name = 1
    except (OSError, ValueError) as error:
        print(error)

    def inner():
        nonlocal nonlocal_name
        nonlocal_name += later()
        import json

        return json

    match path:
        case [head, *tail]:
            print(head, tail)
        case {"key": value, **others}:
            print(value, others)
        case str() as text:
            print(text)
    del line
    return inner, nonlocal_name, sorted(lines, key=lambda item, n=len: n(item)), (lambda: (y := 2) + y)()


def later():
    return made_here, __file__, __name__, first, second, rest, counter


class Thing:
    size = 3
    twice = size * 2
    names = [name for name in range(size)]

    def method(self):
        return __class__, Thing, self

    where = __qualname__, __module__


print({key: value for key, value in {}.items()}, Thing.where, *(a for b in [[1]] for a in b))
