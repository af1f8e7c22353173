import json

from .config import LR

TEXT = json.dumps(LR)
