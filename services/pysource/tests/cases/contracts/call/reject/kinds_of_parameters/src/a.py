import m

m.f(1, 2)
m.f(1, b=2, c=3, e=4)
m.f(a=1, b=2, c=3)
m.f(1, 2, 3, c=4)
m.g(1, 2, 3)
m.g(key=1)
m.g(1, a=2, key=3)
m.f(1, 2, c=3)
m.g(1, 2, 3, 4, key=5, other=6)
