import ctypes


def run(config, recorder):
    ctypes.string_at(0)
