from c import C


class B(C):
    size = 1
