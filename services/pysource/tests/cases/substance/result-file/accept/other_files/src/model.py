import json
from pathlib import Path

NAME = "result.json"


def read(out):
    with open("inputs/result.json") as file:
        earlier = json.load(file)
    with open("outputs/my_result.json", "w") as file:
        json.dump(earlier, file)
    return Path("result.json").read_text()
