from a import f

g = 2
