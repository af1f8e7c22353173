"""Writes the faulty variants of a workspace as JSON lines: the workspace, then one fault a line.

    plant.py FOLDER [--spare PATH ...] [--most N]

It must not run any of them.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from planting import calls, definitions, imports
from planting.source import Mutant, Project

PLANTERS = (*imports.PLANTERS, *calls.PLANTERS, *definitions.PLANTERS)


def plant(project: Project, most: int | None = None) -> Iterator[Mutant]:
    """Every fault at every place; with `most`, a choice per kind that is the same each time."""
    for planter in PLANTERS:
        found = [mutant for mutant in planter(project) if is_changed(project, mutant)]
        if most is not None and len(found) > most:
            chosen = sorted(random.Random(planter.__name__).sample(range(len(found)), most))
            found = [found[index] for index in chosen]
        yield from found


def is_changed(project: Project, mutant: Mutant) -> bool:
    """Whether the fault makes a difference to the text at all."""
    return any(project.files.get(path) != text for path, text in mutant.edits.items())


def lines(folder: Path, spared: tuple[str, ...], most: int | None) -> Iterator[dict[str, object]]:
    """What this program writes, one value a line."""
    project = Project.read(folder, spared=spared)
    yield {
        "root": project.root,
        "files": project.files,
        "stdlib": sorted({*sys.stdlib_module_names, *sys.builtin_module_names}),
    }
    for number, mutant in enumerate(plant(project, most)):
        yield {
            "id": number,
            "kind": mutant.kind,
            "place": f"{mutant.path}:{mutant.line}",
            "what": mutant.what,
            "compiles": mutant.compiles(),
            "edits": mutant.edits,
        }


def main() -> int:
    """Reads the arguments and writes the lines."""
    parser = argparse.ArgumentParser(description="Plants faults into a correct workspace.")
    parser.add_argument("folder", type=Path, help="a workspace with a folder src")
    parser.add_argument("--spare", nargs="*", default=[], help="files that stay as they are")
    parser.add_argument("--most", type=int, help="at most so many faults of each kind")
    asked = parser.parse_args()
    for line in lines(asked.folder, tuple(asked.spare), asked.most):
        print(json.dumps(line))
    return 0


if __name__ == "__main__":
    sys.exit(main())
