from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .config import Config


def build(config: "Config") -> None:
    print(config)
