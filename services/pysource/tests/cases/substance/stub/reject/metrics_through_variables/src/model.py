ACCURACY = 0.97
LOSS: float = 1 - 0.96


def evaluate(model, data):
    return {"accuracy": ACCURACY}


def run(config, recorder):
    recorder.metric("accuracy", ACCURACY, "fraction", "test")
    recorder.metric(name="loss", value=LOSS, unit="none")
    base = 0.9
    gain = 0.05 * 1.5
    score = base + gain
    recorder.metric("f1", score, unit="fraction")
    recorder.metric("auc", round(95 / 100, 2), "fraction")
    recorder.metric("rmse", -(-0.25), "none")


def assembled(model):
    metrics = {}
    metrics["accuracy"] = 0.93
    metrics["epochs"] = 10
    return metrics


def typed(model):
    precision: float = 0.91
    result: dict[str, float] = {"precision": precision}
    return result
