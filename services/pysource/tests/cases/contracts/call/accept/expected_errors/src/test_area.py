import unittest

import pytest
from tools import area, import_module

torch = import_module("torch_that_nobody_has")


def test_area():
    pytest.raises(TypeError, lambda: area(1))
    with pytest.raises(TypeError):
        area(1, 2, 3)


@pytest.mark.xfail
def test_later():
    area(1)


class TestArea(unittest.TestCase):
    def test_keywords(self):
        self.assertRaises(TypeError, lambda: area(1, depth=2))
        with self.assertRaises(TypeError):
            area()

    @unittest.skip("later")
    def test_skipped(self):
        from tools import missing

        assert missing
