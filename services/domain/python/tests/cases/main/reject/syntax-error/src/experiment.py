import broken


def run(config, recorder):
    return broken
