import json
from pathlib import Path

RESULT = Path("inputs") / "result.json"
EARLIER = json.loads(RESULT.read_text())


def keep(out, name):
    Path("earlier.txt").write_text(RESULT.read_text())
    with open(RESULT) as file:
        text = file.read()
    print("result.json".replace("result", "my"), name.replace("result.json", "other.json"))
    path = "result.json"
    path = "mine.json"
    with open(path, "w") as file:
        file.write(text)
    return EARLIER


def read(report):
    return report.read_text()


def name(out):
    report = out / "result.json"
    return report


def write(report, text):
    report.write_text(text)
