"""Is ended by a signal of its own making."""

import os
import signal

os.kill(os.getpid(), signal.SIGSEGV)
