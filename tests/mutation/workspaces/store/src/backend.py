"""Where values are kept."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any


class Backend(ABC):
    name = "backend"

    @abstractmethod
    def load(self) -> dict[str, Any]: ...

    @abstractmethod
    def save(self, values: dict[str, Any]) -> None: ...

    def describe(self) -> str:
        return f"<{self.name}>"


class MemoryBackend(Backend):
    name = "memory"

    def __init__(self, values: dict[str, Any] | None = None) -> None:
        self.values = dict(values or {})
        self.saves = 0

    def load(self) -> dict[str, Any]:
        return dict(self.values)

    def save(self, values: dict[str, Any]) -> None:
        self.values = dict(values)
        self.saves += 1


class FileBackend(Backend):
    name = "file"

    def __init__(self, path: Path, *, indent: int | None = None) -> None:
        self.path = path
        self.indent = indent

    def load(self) -> dict[str, Any]:
        if not self.path.exists():
            return {}
        return json.loads(self.path.read_text(encoding="utf-8"))

    def save(self, values: dict[str, Any]) -> None:
        partial = self.path.with_suffix(".part")
        partial.write_text(json.dumps(values, indent=self.indent), encoding="utf-8")
        os.replace(partial, self.path)


def open_backend(where: str | Path | None = None) -> Backend:
    if where is None:
        return MemoryBackend()
    return FileBackend(Path(where), indent=2)
