import numpy as np

from config import LR

# from .config import LR
TEXT = "from .config import LR"
