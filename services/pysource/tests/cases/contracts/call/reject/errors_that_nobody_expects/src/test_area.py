import pytest
from tools import area


def test_area():
    assert area(1) == 1
    pytest.raises(ValueError, lambda: area(1, 2, 3))


@pytest.mark.parametrize("x", [1])
def test_more(x):
    area(x)


@pytest.mark.xfail
def helper():
    area()
