from dataclasses import dataclass


@dataclass
class Spec:
    a: int = 1


@dataclass
class Parent:
    a: int = 1


@dataclass
class Child(Parent):
    b: int = 2
