def run(config, recorder):
    nested = [float("nan")]
    nested.append(nested)
    return {"accuracy": float("inf"), "nested": nested}
