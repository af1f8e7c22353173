def get_dataloaders():
    return []
