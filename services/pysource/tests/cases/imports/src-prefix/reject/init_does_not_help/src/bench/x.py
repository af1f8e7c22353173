from src.config import LR
