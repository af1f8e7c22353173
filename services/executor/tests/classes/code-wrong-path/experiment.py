def run(config, recorder):
    with open("data/train.csv") as file:
        return file.read()
