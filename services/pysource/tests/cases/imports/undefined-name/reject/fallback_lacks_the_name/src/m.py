try:
    import fastmath
except ImportError:

    def dot(a, b):
        return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    norm = dot(a, b)
    return norm


class Holder:
    inner = 1


squares = [item * item for item in range(3)]
