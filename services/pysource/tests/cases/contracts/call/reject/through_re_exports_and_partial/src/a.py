from functools import partial

import hub.impl
from hub.impl import build

partial(build, c=3)
partial(build, 1, b=2)
hub.impl.build()


def use():
    from hub.impl import build as made

    return [made(1, 2, 3) for _ in range(2)], lambda: made()
