def fit(rows):
    pass
