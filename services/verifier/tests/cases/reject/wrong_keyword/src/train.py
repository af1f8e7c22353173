from loaders import get_loaders


def train(config):
    return get_loaders(config, split="train")
