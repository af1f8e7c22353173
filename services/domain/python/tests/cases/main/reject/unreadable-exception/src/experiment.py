class Odd(BaseException):
    def __str__(self):
        raise RuntimeError


def run(config, recorder):
    raise Odd
