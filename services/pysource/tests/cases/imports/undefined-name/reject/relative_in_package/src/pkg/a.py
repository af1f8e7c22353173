from .b import gone
from . import absent
