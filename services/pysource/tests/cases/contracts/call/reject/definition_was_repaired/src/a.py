from data import get_loaders

get_loaders({})
