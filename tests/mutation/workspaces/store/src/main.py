"""Stores and reads."""

import tempfile
from pathlib import Path

import cache
from backend import FileBackend, MemoryBackend
from store import Store, open_store


def main() -> None:
    memory = MemoryBackend({"a": 1})
    store = Store(memory)
    with store.transaction() as transaction:
        transaction.set("b", 2)
        transaction.set("bc", value=3)
    assert store.keys(prefix="b") == ["b", "bc"]
    assert memory.saves == 1
    assert store.get("a") == 1 and store.get("x", default=None) is None
    try:
        store.get("x")
    except KeyError:
        pass
    else:
        raise AssertionError("a missing key has to be refused")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "values.json"))
        open_store(path).update({"k": [1, 2]})
        assert open_store(where=path).get("k") == [1, 2]
        assert FileBackend(Path(path)).describe() == "<file>"
    assert open_store().keys() == []
    assert cache.square(3) == cache.square(3) == 9
    assert cache.square.statistics.rate == 0.5


if __name__ == "__main__":
    main()
