import json as A
from os import path as B

C = D = 1
(E, [F, *G]) = 1, [2, 3]
for H in range(3):
    pass
with open(__file__) as I:
    pass
if (J := 3) > 2:
    K = 1
else:
    K = 2
try:
    L = 1
except ValueError:
    L = 2


class M:
    x = 1


async def N():
    return 1


def set_up():
    global O
    O = 1


P: int = 3
match [1, 2]:
    case [Q, _]:
        print(Q)
    case _:
        Q = 0
__version__ = "1"
_private = 1
