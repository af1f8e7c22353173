"""What can be done to text."""

from .base import Transform, available, create, register
from .text import Reverse, Shout

__all__ = ["Reverse", "Shout", "Transform", "available", "create", "register"]
