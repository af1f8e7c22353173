import errno
import os


def run(config, recorder):
    raise PermissionError(errno.EROFS, os.strerror(errno.EROFS), "/usr/lib/x")
