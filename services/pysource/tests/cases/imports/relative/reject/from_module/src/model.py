from .config import LR
