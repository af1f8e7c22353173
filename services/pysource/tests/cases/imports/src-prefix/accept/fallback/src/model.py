try:
    from config import LR
except ModuleNotFoundError:
    from src.config import LR
