async def run(config, recorder):
    yield recorder.metric("accuracy", 1.0, "fraction")
