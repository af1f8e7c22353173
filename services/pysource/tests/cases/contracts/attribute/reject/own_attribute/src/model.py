class Model:
    kind = "linear"

    def __init__(self, size):
        self.size = size

    def fit(self, rows):
        self.weights = rows
        return self.sise

    def predict(self, rows):
        return self.weigths, self.fit(rows), self.kind


class NeverMade:
    def shown(self):
        return self.name
