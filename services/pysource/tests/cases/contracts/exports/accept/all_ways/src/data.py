def load():
    return 1


def clean():
    return 2
