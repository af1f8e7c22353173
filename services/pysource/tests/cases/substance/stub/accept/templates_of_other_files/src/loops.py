from tools import *


class Loop:
    def step(self):
        raise NotImplementedError

    def report(self):
        pass
