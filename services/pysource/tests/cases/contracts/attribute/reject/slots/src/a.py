from m import Config, Pair, Wide

pair = Pair(1, 2)
print(pair.left, pair.middle)
wide = Wide(1, 2)
print(wide.depth, wide.left, wide.width)
config = Config()
print(config.lr, config.rate)
