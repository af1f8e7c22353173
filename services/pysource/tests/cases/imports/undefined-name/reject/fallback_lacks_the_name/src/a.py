from m import dot, norms
from m import norm
from m import inner
from m import item
import m

m.cros(1, 2)
