def load(path):
    return path


def run(config, recorder):
    return load()
