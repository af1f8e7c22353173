TEXT = f"{'''eric's'''}"
from .config import LR

RATE = LR
