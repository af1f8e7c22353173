class Meter:
    def compute(self, data):
        return data
