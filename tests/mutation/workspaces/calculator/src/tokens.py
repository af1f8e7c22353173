"""Text to tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum, auto


class TokenKind(IntEnum):
    NUMBER = auto()
    SIGN = auto()
    OPEN = auto()
    CLOSE = auto()
    END = auto()


@dataclass(frozen=True)
class Token:
    kind: TokenKind
    text: str
    at: int = 0


class TokenError(ValueError):
    """A character that means nothing."""


def tokenize(text: str) -> Iterator[Token]:
    at = 0
    while at < len(text):
        char = text[at]
        start = at
        at += 1
        if char.isspace():
            continue
        if char.isdigit():
            while at < len(text) and text[at].isdigit():
                at += 1
            yield Token(TokenKind.NUMBER, text[start:at], at=start)
        elif char in "+-*/":
            yield Token(TokenKind.SIGN, char, start)
        elif char in "()":
            yield Token(TokenKind.OPEN if char == "(" else TokenKind.CLOSE, char, start)
        else:
            raise TokenError(f"{char!r} at {start}")
    yield Token(TokenKind.END, "", at)
