from cycle_b import b

a = b
