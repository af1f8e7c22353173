"""Lets a ball fall."""

import settings as settings_module
from bodies import Body, Vector
from settings import SETTINGS, load
from world import World


class Recorder:
    def __init__(self) -> None:
        self.heights: list[float] = []

    def __call__(self, world: World, number: int) -> None:
        self.heights.append(world.bodies[0].position.y)

    @property
    def lowest(self) -> float:
        return min(self.heights)


def main() -> None:
    world = World()
    ball = world.add(World.ball(5.0, bounce=0.5))
    recorder = Recorder()
    world.watch(recorder)
    assert world.run() == SETTINGS.steps == len(recorder.heights)
    assert ball.bounces > 0
    assert recorder.lowest == 0.0
    slow = load({"step": 0.5, "physics": {"drag": 0.2}})
    assert slow.duration == 5.0 and slow.physics.drag == 0.2
    body = Body(2.0, velocity=Vector(1.0))
    World(settings=slow).add(body)
    body.advance(slow.physics, step=1.0)
    assert round(body.velocity.x, 2) == 0.9 and body.velocity.y == -10.0
    assert settings_module.Physics().gravity < 0


if __name__ == "__main__":
    main()
