from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from b import B


class A:
    def use(self, b: B) -> B:
        return b
