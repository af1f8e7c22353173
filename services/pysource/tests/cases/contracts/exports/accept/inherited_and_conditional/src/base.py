class Base:
    def fit(self):
        return 1
