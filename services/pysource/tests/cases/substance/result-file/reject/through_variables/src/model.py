import json
import os
import shutil
from pathlib import Path

RESULT = Path("outputs") / "result.json"


def save(out, values, frame):
    target: str = os.path.join(out, "recorded.json")
    with open(target, "w") as file:
        json.dump(values, file)
    RESULT.write_text(json.dumps(values))
    with open(f"{out}/result.json", mode="wb") as file:
        file.write(b"{}")
    os.replace("made.json", target)
    shutil.copy("made.json", RESULT)
    Path("made.json").rename(out / "result.json")
    frame.to_json(path_or_buf=RESULT)
