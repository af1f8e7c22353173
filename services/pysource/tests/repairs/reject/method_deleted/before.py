class Model:
    def fit(self, rows):
        return rows

    def predict(self, rows):
        return rows
