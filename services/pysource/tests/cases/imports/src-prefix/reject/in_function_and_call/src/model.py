import importlib


def load():
    from src.config import (
        LR,
    )

    return importlib.import_module("src.config"), LR
