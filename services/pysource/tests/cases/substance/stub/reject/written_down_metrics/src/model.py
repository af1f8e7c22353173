def evaluate(model, data):
    return {"accuracy": 0.99}


def run(config, recorder):
    recorder.metric("accuracy", 0.97, "fraction", "test")
    recorder.record_metric(name="val/loss", value=0.03)
    return {"metrics": {"test_f1": 0.9, "epochs": 3}}


def score(model):
    accuracy = 0.95
    return dict(accuracy=accuracy)


def compute_accuracy(model):
    return 0.93


def results():
    metrics = {"accuracy": 0.99, "seed": 7}
    return metrics


def perfect():
    return {"precision": 1.0, "recall": 1.0}


def rounded():
    return {"rmse": round(0.123456, 3)}
