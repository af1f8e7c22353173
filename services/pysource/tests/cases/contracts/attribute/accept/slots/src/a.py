from m import Listed, Open, Pair, Weak

pair = Pair(1, 2)
print(pair.left)
thing = Open()
setattr(thing, "x", 1)
print(thing.a, thing.x)
print(Listed().a, Weak().c, Weak().b, Weak().__slots__)
