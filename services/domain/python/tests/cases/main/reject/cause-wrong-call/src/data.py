def load(config, path):
    return [config, path]
