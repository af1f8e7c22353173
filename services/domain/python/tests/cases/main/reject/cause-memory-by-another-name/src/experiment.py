class ArrayMemoryError(MemoryError):
    pass


def run(config, recorder):
    raise ArrayMemoryError((1 << 40,))
