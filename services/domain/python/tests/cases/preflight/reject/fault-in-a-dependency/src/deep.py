def settle(value):
    return value["rate"]


RATE = settle({})
