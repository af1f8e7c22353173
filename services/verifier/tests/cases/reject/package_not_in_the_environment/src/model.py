import numpy as np

ZERO = np.zeros(1)
