import errno
import os


def run(config, recorder):
    raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))
