import b


class X:
    size = 1
