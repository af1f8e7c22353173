from .x import f
