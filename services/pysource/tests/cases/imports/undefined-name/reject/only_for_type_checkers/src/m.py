from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from config import Config


def f(config: "Config"):
    return config
