import config
import state

config.DEBUG = True
setattr(state, "epoch", 3)
for name in ("x", "y"):
    setattr(state, name, 1)
