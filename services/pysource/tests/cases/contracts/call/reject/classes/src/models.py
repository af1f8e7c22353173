class Base:
    def __init__(self, size, depth=2):
        self.size = size


class Child(Base):
    def run(self, data):
        return data

    @staticmethod
    def parse(text):
        return text

    @classmethod
    def load(cls, path, strict=True):
        return cls(path)


class Plain:
    value = 1
