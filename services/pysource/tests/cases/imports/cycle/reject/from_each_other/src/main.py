from a import f

f()
