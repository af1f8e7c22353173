import unittest

import pytest


def helper():
    pass


class Fake:
    def fit(self):
        raise NotImplementedError


@pytest.mark.skip(reason="later")
def test_later():
    pass


class TestModel(unittest.TestCase):
    @unittest.expectedFailure
    def test_not_yet(self):
        raise NotImplementedError


def test_examples():
    """
    >>> 1 + 1
    2
    """
