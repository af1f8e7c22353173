import sys

if sys.version_info >= (3, 8):
    from json import loads as read
else:
    read = None

for a, (b, *c) in [(1, (2, 3))]:
    pass
else:
    d = 1

while True:
    e = 1
    break

try:
    import numpy_that_nobody_has as np
except ImportError as error:
    np = None
    reason = str(error)
else:
    reason = ""
finally:
    f = 1

with open(__file__) as g, open(__file__) as (h):
    i = 1

del h
[k := 1, (l := 2)]
j = [m for m in range(3)]
n: int
o = p = q = 0
r, [s, t] = 1, [2, 3]
lambda u: u
class V: w = 1
def x(y): z = y; return z
