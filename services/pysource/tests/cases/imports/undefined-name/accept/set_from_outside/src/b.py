import config
import state

print(config.DEBUG, state.epoch, state.x)
