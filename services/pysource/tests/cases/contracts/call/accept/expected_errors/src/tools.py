import functools


def area(width, height):
    return width * height


def import_module(name, minimum=None):
    return None


def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper
