class Odd(BaseException):
    def __str__(self):
        raise RuntimeError


raise Odd
