from .b import x
