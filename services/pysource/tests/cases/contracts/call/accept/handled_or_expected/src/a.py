import pytest
from m import f

try:
    f(1, 2)
except TypeError:
    print("refused")

with pytest.raises(TypeError):
    f()
