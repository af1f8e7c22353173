def run(config, recorder):
    recorder.split("train", [[1, 2], [3, 4]])
    recorder.split("test", [[5, 6], [3, 4]])
    assert recorder.config is config
    for _ in range(2):
        recorder.epoch()
    recorder.used("optimizer", "sgd")
    config["seed"] = 8
    recorder.output_path("model.txt").write_text("weights")
    recorder.artifact("model.txt")
    return {"config": config}
