import numpy as np
from b import B

LIMIT = 3
