def build():
    from .config import LR

    return LR
