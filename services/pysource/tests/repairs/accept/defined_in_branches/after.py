try:
    from fast import dumps
except ImportError:

    def dumps(value):
        return repr(value)
