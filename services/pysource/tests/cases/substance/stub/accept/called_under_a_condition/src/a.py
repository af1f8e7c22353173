class Stock:
    def __init__(self):
        self.counts = {}

    def put(self, item):
        raise NotImplementedError

    def take(self, item):
        raise NotImplementedError


class Shelf(Stock):
    def put(self, item):
        try:
            super().put(item)
        except NotImplementedError:
            self.counts[item] = 1

    def take(self, item):
        return self.counts.pop(item)


class Crate(Shelf):
    def put(self, item):
        self.counts[item] = 2


class Closed(Shelf):
    def __init__(self):
        raise NotImplementedError


def open_one(kind):
    if kind == "closed":
        return Closed()
    return Crate()
