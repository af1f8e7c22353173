from __future__ import annotations

from typing import TYPE_CHECKING

import m

if TYPE_CHECKING:
    from m import Alias, Missing


def f(x: Alias, y: m.Later) -> Missing:
    return x
