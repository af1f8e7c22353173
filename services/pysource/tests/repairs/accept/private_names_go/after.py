def outer():
    return 1
