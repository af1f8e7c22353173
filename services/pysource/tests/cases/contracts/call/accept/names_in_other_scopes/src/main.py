import tools
from tools import Loader, area, load, replaced

tools.replaced = tools.other


def use(area):
    return area(1)


def nested():
    def load():
        return 1

    return load()


def looped(items):
    for load in items:
        load()
    return [area() for area in items]


def caught():
    try:
        raise ValueError("x")
    except ValueError as area:
        return str(area)


def walrus(items):
    if (area := items[0]) is not None:
        return area()
    return None


def matched(value):
    match value:
        case {"f": load}:
            return load()
        case _:
            return None


def with_global():
    global late
    late = print
    late(1, 2, 3)


class Child(Loader):
    def load(self, path, strict=True, extra=1):
        return super().load(path, strict=strict)


def call(function, *args, **kwargs):
    return function(*args, **kwargs)


print(use(lambda x: x), nested(), looped([lambda: 1]), caught(), walrus([lambda: 1]), matched({"f": lambda: 1}))
with_global()
print(Child().load("x", extra=2), Child().all(["a"]), call(area, 1, 2), tools.replaced(1, 2))
print(Loader.load(Loader(), "x"), (lambda load: load())(lambda: 1), area(*(1, 2)), area(**{"width": 1, "height": 2}))
print({area(1, 2): load("x") for _ in range(2)}, list(map(load, ["a"])))
