class Lie(OSError):
    @property
    def errno(self):
        raise SystemExit(0)

    @property
    def __cause__(self):
        return 7


class ModuleNotFoundError(Exception):
    name = "nowhere"


def run(config, recorder):
    try:
        raise ModuleNotFoundError("No module named 'nowhere'")
    except ModuleNotFoundError as error:
        raise Lie("No space left on device") from error
