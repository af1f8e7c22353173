from src.config import load

VALUE = load({})
