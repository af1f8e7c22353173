import sys
from data import *
from data import load as read

LIMIT: int = 3
build = make = print


class Trainer:
    size = 1

    def __init__(self):
        self.state = 1

    def fit(self):
        return self.state


async def run(config, recorder):
    return config, recorder


if sys.platform == "linux":
    fast = True
else:
    fast = False
