"""Scores a program's predictions against truth that the program never saw.

Runs in a process of its own after the program has ended, and prints one JSON object. Predictions
that cannot be scored are an answer (`"ok": false` with a reason, exit 0); a truth file or a command
line that cannot be used is the task's or the harness's fault (exit 2). Must not tell a label in a
reason, use any package, or import from the workspace: it is laid out alone, and therefore computes
its metrics itself; a test holds them against the workspace's `metrics.py`.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import os
import re
import stat
import sys
from collections import Counter
from typing import Any

MAX_BYTES = 64 * 1024 * 1024
MAX_CELL_LENGTH = 10_000

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# Leading zeros make a text (a post code), not a number.
_WHOLE = re.compile(r"(-?(?:0|[1-9]\d*))\.0*", re.ASCII)
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d*)\.\d+", re.ASCII)


class Unscorable(Exception):
    """A file that cannot be scored; the message says why, and never names a label."""


def main(argv: list[str]) -> int:
    """Scores as the command line asks; returns the exit status."""
    parser = argparse.ArgumentParser(prog="scorer.py", description="Scores predictions.")
    parser.add_argument("--truth", required=True, help="CSV with the header id,label")
    parser.add_argument("--predictions", required=True, help="CSV with the header id,prediction")
    parser.add_argument("--metric", required=True, action="append", choices=sorted(METRICS))
    asked = parser.parse_args(argv)
    try:
        truth = read_table(asked.truth, "label")
        if any(METRICS[name][1] for name in asked.metric):
            for label in truth.values():
                _number(label, "a label")
    except Unscorable as error:
        print(f"scorer: the truth file cannot be used: {error}", file=sys.stderr)
        return 2
    print(json.dumps(scored(truth, asked.predictions, asked.metric), allow_nan=False))
    return 0


def scored(truth: dict[str, str], predictions: str, names: list[str]) -> dict[str, Any]:
    """The answer as it is printed."""
    try:
        predicted = read_table(predictions, "prediction")
        _require_same_ids(truth, predicted)
        pairs = [(label, predicted[key]) for key, label in truth.items()]
        metrics = [_metric(name, pairs) for name in names]
    except Unscorable as error:
        return {"ok": False, "reason": str(error)}
    return {"ok": True, "metrics": metrics}


def read_table(path: str, column: str) -> dict[str, str]:
    """The two-column CSV at `path` as id → value; raises Unscorable."""
    try:
        text = _content(path).decode("utf-8")
    except OSError as error:
        raise Unscorable(f"the file cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Unscorable(f"the file is not UTF-8 at byte {error.start}") from error
    if "\0" in text:
        raise Unscorable("the file contains a NUL character")
    csv.field_size_limit(MAX_CELL_LENGTH)
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    table: dict[str, str] = {}
    try:
        header = next(rows, [])
        if header != ["id", column]:
            raise Unscorable(f"the header is not id,{column}")
        for row in rows:
            if len(row) != 2:
                raise Unscorable(f"line {rows.line_num} has {len(row)} cells where 2 are expected")
            if row[0] in table:
                raise Unscorable(f"id {row[0]!r} occurs twice")
            table[row[0]] = row[1]
    except csv.Error as error:
        raise Unscorable(f"line {rows.line_num} is not CSV: {error}") from error
    if not table:
        raise Unscorable("there are no rows")
    return table


def _content(path: str) -> bytes:
    # The program may have put anything here: a link to elsewhere, a pipe that never ends.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Unscorable("it is not a regular file")
        if status.st_size > MAX_BYTES:
            raise Unscorable(f"it has {status.st_size} bytes; at most {MAX_BYTES} are read")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(MAX_BYTES)
    finally:
        os.close(descriptor)


def _require_same_ids(truth: dict[str, str], predicted: dict[str, str]) -> None:
    if len(predicted) != len(truth):
        raise Unscorable(f"{len(predicted)} predictions for {len(truth)} ids")
    unknown = [key for key in predicted if key not in truth]
    if unknown:
        missing = [key for key in truth if key not in predicted]
        raise Unscorable(
            f"{len(unknown)} ids are not the asked ones, such as {unknown[0][:50]!r};"
            f" missing are such as {missing[0][:50]!r}"
        )


def canonical(label: str) -> str:
    """One spelling per label: 3 and 3.0 are the same class to whoever wrote the number 3."""
    whole = _WHOLE.fullmatch(label)
    text = whole[1] if whole else label
    if _DECIMAL.fullmatch(text):
        text = text.rstrip("0")
    return "0" if text == "-0" else text


Pairs = list[tuple[str, str]]


def _metric(name: str, pairs: Pairs) -> dict[str, Any]:
    compute, _, unit = METRICS[name]
    value = compute(pairs)
    if not math.isfinite(value):
        raise Unscorable(f"{name} is not finite: the predictions are out of all proportion")
    return {"name": name, "value": value, "unit": unit, "count": len(pairs)}


def accuracy(pairs: Pairs) -> float:
    """Share of rows with the right label."""
    return sum(canonical(label) == canonical(got) for label, got in pairs) / len(pairs)


def f1_macro(pairs: Pairs) -> float:
    """Unweighted mean of the F1 of every label that occurs on either side."""
    labels = [(canonical(label), canonical(got)) for label, got in pairs]
    expected = Counter(label for label, _ in labels)
    predicted = Counter(got for _, got in labels)
    hits = Counter(label for label, got in labels if label == got)
    either = expected.keys() | predicted.keys()
    return sum(2 * hits[name] / (expected[name] + predicted[name]) for name in either) / len(either)


def mae(pairs: Pairs) -> float:
    """Mean absolute error."""
    errors = _errors(pairs)
    return sum(abs(error) for error in errors) / len(errors)


def rmse(pairs: Pairs) -> float:
    """Root of the mean squared error."""
    errors = _errors(pairs)
    return math.hypot(*errors) / math.sqrt(len(errors))


def _errors(pairs: Pairs) -> list[float]:
    return [_number(label, "a label") - _number(got, "a prediction") for label, got in pairs]


def _number(text: str, what: str) -> float:
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(number):
        raise Unscorable(f"{what} is not a finite number")
    return number


# name → (function, needs numbers, unit); errors are in the unit of the target, hence "none"
METRICS = {
    "accuracy": (accuracy, False, "fraction"),
    "f1_macro": (f1_macro, False, "fraction"),
    "mae": (mae, True, "none"),
    "rmse": (rmse, True, "none"),
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
