def accuracy(a, b):
    return sum(x == y for x, y in zip(a, b)) / len(a)
