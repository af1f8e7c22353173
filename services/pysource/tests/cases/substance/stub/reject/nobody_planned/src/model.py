class Trainer:
    def fit(self, rows):
        pass


def load(path):
    ...


def score(rows):
    raise NotImplementedError


def report(rows):
    # TODO
    return None


rows = load("rows.csv")
trainer = Trainer()
trainer.fit(rows)
