from data import get_loaders

config = {"a": 1}
get_loaders(config, split="train")
get_loaders()
get_loaders(1, config=2)
get_loaders(1, 2)
get_loaders(cfg=1)
get_loaders(*[], **{}, extra=1)
get_loaders(1, *[2])
