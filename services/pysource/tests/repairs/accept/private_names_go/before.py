def _inner():
    return 1


def outer():
    return _inner()
