import numpy as np

from .config import LR

x = np.zeros(3) * LR
