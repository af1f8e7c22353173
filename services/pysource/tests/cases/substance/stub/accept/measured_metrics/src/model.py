def evaluate(right, total, truth):
    if total == 0:
        return {"accuracy": 0.0, "precision": 1.0}
    accuracy = right / total
    return {"accuracy": accuracy, "count": 3, "epochs": 10}


def defaults():
    return {"accuracy": 0.95}


def accuracy_threshold():
    return 0.95


def running(items):
    loss = 0.0
    for item in items:
        loss += item
    return {"loss": loss, "learning_rate": 0.01, "loss_weight": 0.5}


def run(config, recorder, value):
    recorder.metric("accuracy", value, "fraction", "test")
    recorder.metric("loss", 0.0)
    recorder.record("epochs", 3)
    config.get("accuracy", 0.9)
    return {"status": "done", "accuracy": value}


def collected(truth):
    metrics = {"accuracy": 0.5}
    metrics["accuracy"] = sum(truth)
    return metrics


def best_score(scores):
    return max(scores)
