try:
    from typing import Protocol
except ImportError:
    from typing_extensions import Protocol


class Sized(Protocol):
    def size(self) -> int: ...
