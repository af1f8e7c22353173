class Meter:
    def compute(self, data, weights):
        return data, weights
