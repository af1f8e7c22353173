def fit():
    return 1
