def get_loaders(config, batch_size):
    return config, batch_size
