from metrics import accuracy


def run(config, recorder):
    recorder.metric("accuracy", accuracy([1, 2], [1, 1]), "fraction", split="validation")
    recorder.metric("loss", 2.5, "none", step=0)
    recorder.metric("loss", 1.5, "none", step=1)
    lines = recorder.input_path("rows.csv").read_text().splitlines()
    recorder.predictions("test", [line.split(",")[0] for line in lines[1:]], [1, "two"])
    return {"seed": config["seed"]}
