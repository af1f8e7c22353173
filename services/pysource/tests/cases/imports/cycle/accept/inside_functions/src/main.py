from a import f
