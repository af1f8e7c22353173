from ..x import f
