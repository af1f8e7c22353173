def get_loaders(config):
    return [config]
