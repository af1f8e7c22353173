def seed_everything(seed):
    return seed
