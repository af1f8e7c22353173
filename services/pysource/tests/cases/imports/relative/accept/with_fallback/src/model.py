try:
    from .config import LR
except ImportError:
    from config import LR
