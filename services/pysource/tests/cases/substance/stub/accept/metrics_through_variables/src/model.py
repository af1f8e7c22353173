TARGET_ACCURACY = 0.9
SCORE = 0.5
WEIGHT = 0.25
LOSS = 0.75


def adjust():
    global SCORE
    SCORE = 0.7


def evaluate(model, right, total):
    share = right / total
    weighted = share * WEIGHT
    return {"accuracy": share, "f1": 2 * share / (1 + share), "loss": 1 - weighted, "score": SCORE}


def run(config, recorder, losses):
    recorder.metric("accuracy", max(losses) * 0.5, "fraction")
    recorder.metric("loss", 0 * 1, "none")
    recorder.metric("baseline_accuracy", TARGET_ACCURACY, "fraction")
    best = {}
    best["loss"] = 1e9
    for loss in losses:
        if loss < best["loss"]:
            best["loss"] = loss
    return best


def shadowed(LOSS):
    return {"loss": LOSS}


def counted(items):
    metrics = {}
    metrics["loss"] = 0.5
    for item in items:
        metrics["loss"] += item
    return metrics


def kept(items):
    settings = {}
    settings["loss"] = 0.5
    return len(settings)
