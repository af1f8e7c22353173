import errno
import os


def run(config, recorder):
    raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), "out/model.bin")
