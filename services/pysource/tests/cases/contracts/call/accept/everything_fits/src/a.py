from data import exact, get_loaders

pair = (1, 2)
named = {"a": 1, "b": 2}
get_loaders({}, split="train")
get_loaders({}, "x", 1, 2, extra=3)
exact(*pair)
exact(**named)
exact(1, *pair[1:])
exact(1, **{"b": 2})
exact(b=1, a=2)
