async def run(config, recorder):
    recorder.metric("accuracy", 1.0, "fraction")
