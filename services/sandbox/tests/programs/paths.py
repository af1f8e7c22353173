"""Opens every path that stands in stdin's JSON, and prints {path: error number or 0}. {"write": true} opens for writing
as well, {"paths": [..]} says which."""
import json
import os
import sys

wish = json.load(sys.stdin)
answers = {}
for path in wish["paths"]:
    try:
        if os.path.isdir(path):
            os.listdir(path)
        else:
            flags = os.O_RDWR if wish["write"] else os.O_RDONLY
            os.close(os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY))
        answers[path] = 0
    except OSError as error:
        answers[path] = error.errno
print(json.dumps(answers))
