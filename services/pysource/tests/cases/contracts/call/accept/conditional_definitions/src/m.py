import sys

if sys.platform == "win32":

    def f(a):
        return a

else:

    def f(a, b):
        return a, b


try:
    from fast import g
except ImportError:

    def g(a):
        return a
