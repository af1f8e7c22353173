def run(config, recorder):
    try:
        return len(bytearray(1 << 46))
    except MemoryError as error:
        raise RuntimeError("the table does not fit") from error
