import os


def run(config, recorder):
    path = os.path.join(os.environ["INTERLOCK_OUT"], "recorded.json")
    os.remove(path)
    os.mkdir(path)
