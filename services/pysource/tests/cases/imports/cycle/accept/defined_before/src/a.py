f = 1
from b import g
