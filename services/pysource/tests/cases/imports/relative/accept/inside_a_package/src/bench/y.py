from . import x
from .x import f
