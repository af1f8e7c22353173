TABLE = {}


def first():
    return TABLE["first"]
