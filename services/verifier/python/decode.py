"""Reads sources as the interpreter would, whatever encoding they declare (PEP 263), and hands them back as UTF-8.

Reads `{"files": [{"path": ..., "bytes": ...}]}` on stdin, each byte as the character of its number. Answers
`{path: {"text": ...}}` on stdout, or where the interpreter could not read a file either
`{"text": ..., "why": ..., "line": ...}` with what can be read of it. Executes nothing of it.
"""

import io
import json
import re
import sys
import tokenize

COOKIE = re.compile(r"^([ \t\f]*#.*?coding[:=][ \t]*)([-\w.]+)", re.ASCII)


def decoded(source):
    """The text, with the cookie naming the encoding that it has from now on."""
    try:
        encoding, first = tokenize.detect_encoding(io.BytesIO(source).readline)
    except SyntaxError as error:
        encoding, first, refused = "utf-8", [], error
    else:
        refused = None
    try:
        text = source.decode(encoding)
    except UnicodeDecodeError as error:
        byte, line = source[error.start], source.count(b"\n", 0, error.start) + 1
        named = f"declares {encoding}" if any(map(declares, first)) else "declares no other encoding"
        why = f"the byte 0x{byte:02x} cannot be read: the file {named}; save it as UTF-8"
        return {"text": source.decode("utf-8", "replace"), "why": why, "line": line}
    if refused is not None:
        return {
            "text": text,
            "why": f"{refused}; name the encoding that it has, or save it as UTF-8",
            "line": 1,
        }
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines[:2]):
        lines[number] = COOKIE.sub(r"\g<1>utf-8", line, count=1)
    return {"text": "".join(lines)}


def declares(line):
    """Whether a line has an encoding cookie."""
    return COOKIE.match(line.decode("latin-1")) is not None


asked = json.load(sys.stdin)
answers = {file["path"]: decoded(file["bytes"].encode("latin-1")) for file in asked["files"]}
json.dump(answers, sys.stdout)
