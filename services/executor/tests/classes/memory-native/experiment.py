import os
import sys


def run(config, recorder):
    # As a C++ library does it that gets no memory.
    sys.stderr.write("terminate called after throwing an instance of 'std::bad_alloc'\n")
    os.abort()
