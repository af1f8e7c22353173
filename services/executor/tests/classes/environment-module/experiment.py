import importlib


def run(config, recorder):
    return importlib.import_module("pandas")
