def test_fit():
    pass


def test_predict():
    # TODO
    ...
