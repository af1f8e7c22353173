from config import RunConfig

RunConfig(amp=True)
RunConfig(lr=0.1, seed=3)
RunConfig(
    lr=0.1,
    epochs=3,
    amp=False,
)
