import importlib

helper = importlib.import_module("helper.things")
