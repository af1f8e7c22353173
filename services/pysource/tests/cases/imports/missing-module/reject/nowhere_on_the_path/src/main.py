import sys

sys.path.append("lib")

import helper
import other
