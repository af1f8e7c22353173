"""Several transforms, one after the other."""

from collections.abc import Iterable

from plugins import Transform, create


class Pipeline:
    """A list of transforms."""

    def __init__(self, steps: Iterable[Transform] = ()) -> None:
        self.steps = list(steps)

    @classmethod
    def from_names(cls, *names: str, **options: object) -> "Pipeline":
        return cls(create(name, **options) for name in names)

    def add(self, step: Transform) -> "Pipeline":
        self.steps.append(step)
        return self

    def run(self, text: str, *, strip: bool = False) -> str:
        for step in self.steps:
            text = step.apply(text)
        return text.strip() if strip else text
