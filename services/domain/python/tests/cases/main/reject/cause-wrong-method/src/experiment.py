def run(config, recorder):
    recorder.metric("accuracy", 0.5, unit="fraction", colour="red")
