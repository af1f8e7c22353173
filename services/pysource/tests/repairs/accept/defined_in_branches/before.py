def dumps(value):
    return str(value)
