def fake():
    return {"accuracy": 0.99}
