"""A model."""


class Model:
    def fit(self, rows):
        self.mean = sum(rows) / len(rows)

    # ... remaining methods unchanged ...


def load(path):
    # (rest of the function remains the same)
    return open(path).read()


def save(path):
    # rest unchanged
    return path
