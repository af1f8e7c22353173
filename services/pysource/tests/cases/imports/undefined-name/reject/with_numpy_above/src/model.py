import numpy as np
from config import does_not_exist

print(np.zeros(3), does_not_exist)
