from m import Tools, fit, load, opened, read, split, square

fit([1], 2, 3)
fit([1], rounds=2)
read()
load("a", "b")
split([1])
with opened("a", mode="r") as file:
    print(file)
Tools.scale(1)
Tools.make()
Tools.make("a", kind="b")
tools = Tools()
tools.scale(1, 2, 3)
tools.run()
tools.cached(1, 2)
square(1, 2)
square(1)
