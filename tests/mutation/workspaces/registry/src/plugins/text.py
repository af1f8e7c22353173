"""Transforms of text."""

from .base import Transform, register

MARK = "!"


@register("reverse")
class Reverse(Transform):
    """Backwards."""

    def once(self, text: str) -> str:
        return text[::-1]


@register("shout")
class Shout(Transform):
    """Louder."""

    def __init__(self, *, times: int = 1, mark: str = MARK) -> None:
        super().__init__(times=times)
        self.mark = mark

    def once(self, text: str) -> str:
        return text.upper() + self.mark
