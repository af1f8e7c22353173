import functools


def inject(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn("db", *args, **kwargs)

    return wrapper


@inject
def query(db, text):
    return db, text


class Thing:
    @property
    def size(self):
        return lambda a, b: a + b

    @inject
    def method(self, x):
        return x
