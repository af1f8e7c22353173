"""Tokens to a tree."""

from __future__ import annotations

import nodes
from nodes import Node
from tokens import Token, TokenKind, tokenize

LOW = "+-"
HIGH = "*/"


class ParseError(ValueError):
    def __init__(self, token: Token, wanted: str) -> None:
        super().__init__(f"{wanted} expected at {token.at}")
        self.token = token


class Parser:
    def __init__(self, text: str) -> None:
        self.tokens = list(tokenize(text))
        self.index = 0

    @property
    def now(self) -> Token:
        return self.tokens[self.index]

    def next(self) -> Token:
        token = self.now
        self.index += 1
        return token

    def parse(self) -> Node:
        node = self._chain(LOW)
        if self.now.kind is not TokenKind.END:
            raise ParseError(self.now, "the end")
        return node

    def _chain(self, signs: str) -> Node:
        deeper = self._atom if signs == HIGH else lambda: self._chain(HIGH)
        node = deeper()
        while self.now.kind is TokenKind.SIGN and self.now.text in signs:
            sign = self.next().text
            node = nodes.binary(sign, node, deeper())
        return node

    def _atom(self) -> Node:
        token = self.next()
        if token.kind is TokenKind.NUMBER:
            return nodes.number(token.text)
        if token.kind is not TokenKind.OPEN:
            raise ParseError(token, wanted="a number")
        node = self._chain(LOW)
        if self.next().kind is not TokenKind.CLOSE:
            raise ParseError(token, wanted=")")
        return node


def parse(text: str) -> Node:
    return Parser(text).parse()
