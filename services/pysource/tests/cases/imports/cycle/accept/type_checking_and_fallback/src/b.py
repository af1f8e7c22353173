from a import A


class B(A):
    size = 1
