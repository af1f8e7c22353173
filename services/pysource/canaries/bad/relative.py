from .config import load

VALUE = load({})
