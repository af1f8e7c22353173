def run(config, recorder):
    recorder._metrics["x"] = {"name": "accuracy", "value": float("nan")}
