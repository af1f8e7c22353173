"""The tree of an expression."""

import operator
from abc import ABC, abstractmethod
from dataclasses import dataclass

OPERATIONS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


class Node(ABC):
    @abstractmethod
    def value(self) -> float:
        """What it comes to."""

    def depth(self) -> int:
        return 1


@dataclass
class Number(Node):
    number: float

    def value(self) -> float:
        return self.number


@dataclass
class Binary(Node):
    sign: str
    left: Node
    right: Node

    def value(self) -> float:
        return OPERATIONS[self.sign](self.left.value(), self.right.value())

    def depth(self) -> int:
        return 1 + max(self.left.depth(), self.right.depth())


def number(text: str) -> Number:
    return Number(float(text))


def binary(sign: str, left: Node, right: Node) -> Binary:
    return Binary(sign=sign, left=left, right=right)
