class Model:
    def fit(self, rows):
        return rows
