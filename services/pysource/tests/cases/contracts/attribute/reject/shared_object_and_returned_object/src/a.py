import config
from config import CONFIG, load

print(CONFIG.lr, CONFIG.amp, config.CONFIG.epochs)
loaded = load()
print(loaded.lr, loaded.depth)
