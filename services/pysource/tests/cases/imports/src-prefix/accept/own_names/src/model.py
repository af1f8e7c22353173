from config import LR
import source.src

print("from src.config import LR", LR)
