import json
from .config import LR
