class Stock:
    def __init__(self):
        self.counts = {}

    def put(self, item):
        raise NotImplementedError

    def take(self, item):
        return self.counts.pop(item)


class LimitedStock(Stock):
    def put(self, item):
        if len(self.counts) < 3:
            print("room")
        super().put(item)


class Reader:
    def __init__(self, path):
        self.path = path


class CsvReader(Reader):
    def __init__(self, path):
        raise NotImplementedError


def main():
    stock = LimitedStock()
    stock.put("a")
    return CsvReader("b")
