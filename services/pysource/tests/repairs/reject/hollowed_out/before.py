class Model:
    def fit(self, rows):
        return [row * 2 for row in rows]


def score(model):
    return model.fit([1])
