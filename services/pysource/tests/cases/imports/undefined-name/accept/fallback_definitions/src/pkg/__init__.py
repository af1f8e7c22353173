import importlib


def __getattr__(name):
    if name == "lazy":
        return importlib.import_module(f"{__name__}.lazy")
    raise AttributeError(name)
