from b import g

f = 1
