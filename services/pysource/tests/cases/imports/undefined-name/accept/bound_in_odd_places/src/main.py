import m
from m import a, b, c, d, e, f, g, i, j, k, l, np, o, p, q, r, read, reason, s, t
from m import V, x

print(a, b, c, d, e, f, g, i, j, k, l, np, o, p, q, r, read, reason, s, t, V.w, x(1), m.sys)
