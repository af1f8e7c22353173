import functools


@functools.lru_cache(maxsize=None)
def build(a, b=1):
    return a + b
