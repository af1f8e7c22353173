def get_loaders(config, split="train", *args, **kwargs):
    return config, split, args, kwargs


def exact(a, b):
    return a, b
