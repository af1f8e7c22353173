def run(config, recorder):
    recorder.metric("accuracy", float("nan"), "fraction")
