from src.config import LR

RATE = LR
