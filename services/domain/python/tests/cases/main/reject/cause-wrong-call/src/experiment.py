from data import load


def run(config, recorder):
    return load(config, split="train")
