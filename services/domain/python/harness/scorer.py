"""Scores a program's predictions against truth that the program never saw.

Runs in a process of its own after the program has ended, and prints one JSON object. Predictions
that cannot be scored are an answer (`"ok": false` with a reason, exit 0); a truth file or a command
line that cannot be used is the task's or the harness's fault (exit 2). Must not tell a label in a
reason, or import from the workspace: it is laid out beside its own two modules and the harness's
`metrics.py`. The numbers are scikit-learn's where the task's environment has it, else those of
`metrics.py`, which are the same.
"""

from __future__ import annotations

import os
import sys

# An isolated interpreter does not look where its script lies.
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

import argparse
import csv
import io
import json
import math
import re
import stat
from collections.abc import Callable
from typing import Any

import metrics
import scorer_library

MAX_BYTES = 64 * 1024 * 1024
MAX_CELL_LENGTH = 10_000
SHOWN = 50
OWN = "interlock"

LABELS, NUMBERS, SCORES, PROBABILITIES = range(4)

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# Leading zeros make a text (a post code), not a number.
_WHOLE = re.compile(r"(-?(?:0|[1-9]\d*))\.0*", re.ASCII)
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d*)\.\d+", re.ASCII)
# What libraries write where there is no value.
_NO_VALUE = ("", "nan", "none", "null", "na", "n/a", "<na>", "inf", "-inf", "infinity", "-infinity")

# name → (function, what it is computed from, unit); errors are in the unit of the target
METRICS = {
    "accuracy": (metrics.accuracy, LABELS, "fraction"),
    "balanced_accuracy": (metrics.balanced_accuracy, LABELS, "fraction"),
    "precision_macro": (metrics.precision_macro, LABELS, "fraction"),
    "precision_micro": (metrics.precision_micro, LABELS, "fraction"),
    "precision_weighted": (metrics.precision_weighted, LABELS, "fraction"),
    "recall_macro": (metrics.recall_macro, LABELS, "fraction"),
    "recall_micro": (metrics.recall_micro, LABELS, "fraction"),
    "recall_weighted": (metrics.recall_weighted, LABELS, "fraction"),
    "f1_macro": (metrics.f1_macro, LABELS, "fraction"),
    "f1_micro": (metrics.f1_micro, LABELS, "fraction"),
    "f1_weighted": (metrics.f1_weighted, LABELS, "fraction"),
    "roc_auc": (metrics.roc_auc, SCORES, "fraction"),
    "log_loss": (metrics.log_loss, PROBABILITIES, "none"),
    "mae": (metrics.mae, NUMBERS, "none"),
    "mse": (metrics.mse, NUMBERS, "none"),
    "rmse": (metrics.rmse, NUMBERS, "none"),
    "r2": (metrics.r2, NUMBERS, "none"),
}

Table = dict[str, str]


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
        _require_truth_for(truth, asked.metric)
    except Unscorable as error:
        print(f"scorer: the truth file cannot be used: {error}", file=sys.stderr)
        return 2
    answer = scored(truth, asked.predictions, asked.metric, scorer_library.load())
    print(json.dumps(answer, allow_nan=False))
    return 0


def scored(
    truth: Table,
    predictions: str,
    names: list[str],
    library: scorer_library.Library | None = None,
) -> dict[str, Any]:
    """The answer as it is printed."""
    try:
        predicted = read_table(predictions, "prediction")
        _require_same_ids(truth, predicted)
        for kind in sorted({METRICS[name][1] for name in names}):
            _require_type(truth, predicted, kind)
        results = [_metric(name, truth, predicted, library) for name in names]
    except Unscorable as error:
        return {"ok": False, "reason": str(error)}
    return {"ok": True, "by": library.name if library else OWN, "metrics": results}


def _require_truth_for(truth: Table, names: list[str]) -> None:
    kinds = {METRICS[name][1] for name in names}
    if NUMBERS in kinds and not all(map(_is_number, truth.values())):
        raise Unscorable("a label is not a finite number")
    if "r2" in names and len(truth) < 2:
        raise Unscorable("r2 needs at least two rows")
    if kinds & {SCORES, PROBABILITIES}:
        labels = len({canonical(label) for label in truth.values()})
        if labels != 2:
            raise Unscorable(f"it has {labels} labels where roc_auc and log_loss need two")


def read_table(path: str, column: str) -> Table:
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
    table: Table = {}
    lines: dict[str, int] = {}
    try:
        header = next(rows, [])
        if header != ["id", column]:
            raise Unscorable(f"the header is not id,{column}")
        for row in rows:
            if len(row) != 2:
                raise Unscorable(f"line {rows.line_num} has {len(row)} cells where 2 are expected")
            if row[0] in table:
                raise Unscorable(
                    f"id {row[0][:SHOWN]!r} occurs twice, in lines {lines[row[0]]} and"
                    f" {rows.line_num}"
                )
            table[row[0]] = row[1]
            lines[row[0]] = rows.line_num
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


def _require_same_ids(truth: Table, predicted: Table) -> None:
    missing = [key for key in truth if key not in predicted]
    unknown = [key for key in predicted if key not in truth]
    if not missing and not unknown:
        return
    parts = [f"{len(predicted)} predictions for {len(truth)} ids"]
    if missing:
        parts.append(f"{len(missing)} missing, such as {missing[0][:SHOWN]!r}")
    if unknown:
        parts.append(f"{len(unknown)} not asked for, such as {unknown[0][:SHOWN]!r}")
    raise Unscorable("; ".join(parts))


def _require_type(truth: Table, predicted: Table, kind: int) -> None:
    """Refuses a prediction that is no value of the kind that a metric needs."""
    labels = {canonical(label) for label in truth.values()}
    are_numbers = all(map(_is_number, labels))
    for key, value in predicted.items():
        where = f"the prediction of id {key[:SHOWN]!r}"
        if kind == LABELS:
            if canonical(value) in labels:
                continue
            if value.strip().lower() in _NO_VALUE:
                raise Unscorable(f"{where} is no label: {value[:SHOWN]!r}")
            if are_numbers and not _is_number(value):
                raise Unscorable(f"{where} is {value[:SHOWN]!r}, and the labels are numbers")
        elif not _is_number(value):
            raise Unscorable(f"{where} is not a finite number: {value[:SHOWN]!r}")
        elif kind == PROBABILITIES and not 0 <= float(value) <= 1:
            raise Unscorable(f"{where} is no probability from 0 to 1: {value[:SHOWN]!r}")


def canonical(label: str) -> str:
    """One spelling per label: 3 and 3.0 are the same class to whoever wrote the number 3."""
    whole = _WHOLE.fullmatch(label)
    text = whole[1] if whole else label
    if _DECIMAL.fullmatch(text):
        text = text.rstrip("0")
    return "0" if text == "-0" else text


def _metric(
    name: str, truth: Table, predicted: Table, library: scorer_library.Library | None
) -> dict[str, Any]:
    own, kind, unit = METRICS[name]
    left, right = _sides(truth, predicted, kind)
    value = math.nan
    if library is not None:
        value = library.compute(name, left, right)
    if not math.isfinite(value):
        value = _own(own, left, right)  # which does not overflow on the way
    if not math.isfinite(value):
        raise Unscorable(f"{name} is not finite: the predictions are out of all proportion")
    return {"name": name, "value": value, "unit": unit, "count": len(left)}


def _own(function: Callable[..., float], left: list[Any], right: list[Any]) -> float:
    try:
        return function(left, right)
    except (ValueError, OverflowError):
        return math.inf  # a difference or a sum that no double can hold


def _sides(truth: Table, predicted: Table, kind: int) -> tuple[list[Any], list[Any]]:
    if kind == LABELS:
        left = [canonical(label) for label in truth.values()]
        return left, [canonical(predicted[key]) for key in truth]
    right = [float(predicted[key]) for key in truth]
    if kind == NUMBERS:
        return [float(label) for label in truth.values()], right
    left = [canonical(label) for label in truth.values()]
    positive = max(left, key=_rank)
    return [int(label == positive) for label in left], right


def _rank(label: str) -> tuple[bool, float, str]:
    """Orders two labels: numbers by their value, before texts."""
    return (not _is_number(label), float(label) if _is_number(label) else 0.0, label)


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
