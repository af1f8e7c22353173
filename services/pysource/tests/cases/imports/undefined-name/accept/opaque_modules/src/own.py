import sys

setattr(sys.modules[__name__], "other", 1)
