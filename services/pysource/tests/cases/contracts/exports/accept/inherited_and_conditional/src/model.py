from base import Base

try:
    from numpy import array as build
except ImportError:
    build = None

with open(__file__) as handle:
    text = handle.read()

for size in range(3):
    pass

if (largest := size) > 1:
    pass


class Model(Base):
    __slots__ = ("state",)

    class Options:
        depth = 1
