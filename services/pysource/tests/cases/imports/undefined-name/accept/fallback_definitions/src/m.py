import sys

try:
    import fastmath
except ImportError:
    HAVE_FAST = False

    def dot(a, b):
        return sum(x * y for x, y in zip(a, b))

else:
    HAVE_FAST = True
    dot = fastmath.dot

try:
    from yaml import safe_load as parse
except ModuleNotFoundError:
    parse = None

if sys.version_info >= (3, 12):
    from itertools import batched
else:

    def batched(items, n):
        return [items[i : i + n] for i in range(0, len(items), n)]


match sys.platform:
    case "win32":
        SEPARATOR = "\\"
    case other:
        SEPARATOR = "/"

with open(sys.argv[0]) as own_text:
    FIRST, *REST = own_text

for last in range(3):
    pass

while (found := len(sys.argv)) < 0:
    pass

type_names = {name: len(name) for name in ("a", "b")}


def set_it():
    global LATER
    LATER = 1


class Holder:
    inner = 1
