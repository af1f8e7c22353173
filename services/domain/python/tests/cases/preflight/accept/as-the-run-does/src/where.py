import os
import sys

import __main__

here = os.path.dirname(os.path.abspath(__file__))
assert sys.path[0] == here, sys.path
assert os.getcwd() == os.path.dirname(here), os.getcwd()
assert sys.argv == ["src/main.py"], sys.argv
assert __main__.__file__ == os.path.join(here, "main.py")
assert __name__ == "where" and sys.modules["where"].__dict__ is globals()
assert sys.stdin.read() == ""
