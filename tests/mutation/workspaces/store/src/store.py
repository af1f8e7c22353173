"""Values with transactions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from backend import Backend, MemoryBackend, open_backend

MISSING = object()


class Transaction:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._changes: dict[str, Any] = {}

    def set(self, key: str, value: Any) -> None:
        self._changes[key] = value

    def commit(self) -> int:
        self._store.update(self._changes)
        return len(self._changes)


class Store:
    def __init__(self, backend: Backend | None = None) -> None:
        self.backend = backend or MemoryBackend()
        self._values = self.backend.load()

    def get(self, key: str, default: Any = MISSING) -> Any:
        value = self._values.get(key, default)
        if value is MISSING:
            raise KeyError(key)
        return value

    def update(self, values: dict[str, Any]) -> None:
        self._values.update(values)
        self.backend.save(self._values)

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        transaction = Transaction(self)
        yield transaction
        transaction.commit()

    def keys(self, prefix: str = "") -> list[str]:
        return sorted(key for key in self._values if key.startswith(prefix))


def open_store(where: str | None = None) -> Store:
    return Store(backend=open_backend(where))
