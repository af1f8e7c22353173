from m import get_loaders
