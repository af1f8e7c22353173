import data


def run(config, recorder):
    return data.load(config, split="train")
