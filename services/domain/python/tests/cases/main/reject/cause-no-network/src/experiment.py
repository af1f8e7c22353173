import errno
from urllib.error import URLError


def run(config, recorder):
    raise URLError("unreachable") from OSError(errno.ENETUNREACH, "Network is unreachable")
