from m import f, g

f(1, 2)
g(1, 2)
