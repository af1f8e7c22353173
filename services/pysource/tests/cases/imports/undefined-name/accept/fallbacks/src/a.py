try:
    from m import fast
except ImportError:
    fast = None

import m

try:
    speed = m.speed
except AttributeError:
    speed = 1
if hasattr(m, "extra"):
    m.extra()
