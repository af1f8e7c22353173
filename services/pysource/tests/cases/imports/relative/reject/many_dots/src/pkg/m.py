from ....x import y
from ... import z
