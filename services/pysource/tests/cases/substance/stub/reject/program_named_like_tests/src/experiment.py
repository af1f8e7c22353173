from test_model import evaluate
from tests.scores import score


def run(config, recorder):
    recorder.metric("accuracy", evaluate()["accuracy"] + score()["f1"], "fraction")
