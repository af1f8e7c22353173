try:
    from .config import LR
except ImportError as error:
    raise SystemExit("no configuration") from error
