"""What moves."""

from __future__ import annotations

from dataclasses import dataclass, field

from settings import Physics


@dataclass(slots=True)
class Vector:
    x: float = 0.0
    y: float = 0.0

    def plus(self, other: Vector, scale: float = 1.0) -> Vector:
        return Vector(self.x + other.x * scale, self.y + other.y * scale)

    def __mul__(self, factor: float) -> Vector:
        return Vector(self.x * factor, self.y * factor)


@dataclass
class Body:
    mass: float
    position: Vector = field(default_factory=Vector)
    velocity: Vector = field(default_factory=Vector)

    def force(self, physics: Physics) -> Vector:
        pull = Vector(0.0, self.mass * physics.gravity)
        return pull.plus(self.velocity, scale=-physics.drag)

    def advance(self, physics: Physics, step: float) -> None:
        acceleration = self.force(physics) * (1 / self.mass)
        self.velocity = self.velocity.plus(acceleration, step)
        self.position = self.position.plus(self.velocity, step)


@dataclass
class Ball(Body):
    bounce: float = 0.8
    bounces: int = 0

    def advance(self, physics: Physics, step: float) -> None:
        super().advance(physics, step)
        if self.position.y < 0:
            self.position.y = 0.0
            self.velocity.y = -self.velocity.y * self.bounce
            self.bounces += 1
