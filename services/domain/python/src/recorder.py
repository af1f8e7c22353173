"""The recorder that a program gets: what it recorded is checked here and written as it came in.

Must not judge anything, and must not trust its caller: a value that could not be compared later
is refused, with a message that says what to do. What `run` returned is written as testimony,
never interpreted. Needs no package.
"""

from __future__ import annotations

import collections
import csv
import io
import itertools
import json
import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recorded_config import Config, Notes
from recorded_files import FILE_NAME, name_below, size_of, write_figure, write_whole
from recorded_splits import Splits
from recorded_values import RecorderError, index, number, plain, require_name, unwrapped

UNITS = ("fraction", "percent", "count", "seconds", "bytes", "none")
"""The units a metric may have; "none" for a plain number, or one in the unit of the target."""

RESULT_SCHEMA = 1
MAX_METRICS = 10_000
MAX_PREDICTIONS = 5_000_000
MAX_CELL_LENGTH = 1_000
MAX_ARTIFACTS = 200
MAX_MODELS = 100
MAX_NOTE = 200
PROGRESS = "progress.json"

_SHARES = ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "roc_auc")
_FRACTION_SLACK = 1e-9  # rounding of a mean may leave [0, 1] by this much, a percentage leaves more


class Recorder:
    """Handed to `run(config, recorder)`; everything recorded here is kept by the harness."""

    def __init__(
        self,
        out: pathlib.Path,
        inputs: pathlib.Path,
        config: Mapping[str, Any] | None = None,
        checkpoint: pathlib.Path | None = None,
    ) -> None:
        self._out = out
        self._checkpoint = checkpoint
        self._inputs = inputs
        self._metrics: dict[tuple[str, str | None, int | None], dict[str, Any]] = {}
        self._splits = Splits()
        self._received = json.loads(json.dumps(config or {}))
        self._notes = Notes()
        self._config = Config(config or {}, self._notes)
        self._epochs: dict[str, int] = {}
        self._artifacts: dict[str, dict[str, Any]] = {}

    @property
    def config(self) -> Config:
        """The very mapping that `run` gets; what is never read of it is reported."""
        return self._config

    def metric(
        self,
        name: str,
        value: Any,
        unit: str,
        split: str | None = None,
        step: int | None = None,
    ) -> None:
        """Records one finite number: `unit` is one of UNITS, `split` the data, `step` the epoch.

        The same name, split and step cannot be recorded twice. Of a series, the last step counts.
        """
        require_name("metric name", name)
        if split is not None:
            require_name("split", split)
        finite = number(f"metric {name}", value)
        _require_unit(name, finite, unit)
        position = None if step is None else index(f"metric {name}: step", step)
        key = (name, split, position)
        if key in self._metrics:
            raise RecorderError(
                f"metric {name} (split {split}, step {position}) is already recorded;"
                " give each value its own name, split or step"
            )
        if len(self._metrics) >= MAX_METRICS:
            raise RecorderError(f"metric {name}: more than {MAX_METRICS} metrics")
        self._metrics[key] = {
            "name": name,
            "value": finite,
            "unit": unit,
            "split": split,
            "step": position,
        }

    def split(self, name: str, data: Any, role: str | None = None, fold: int | None = None) -> None:
        """Records which rows a split has: call it for all data that is learned from or measured on.

        `data`: an array, tensor, data frame, list of rows, `(features, labels)` arrays, mapping of
        columns, or list of file paths; of the same form for each split, with ids if there are any.
        Rows that two splits share are found. `role` is "train", "validation", "test" or "other", by
        default what the name begins with. Splits of different `fold`s are not compared. At most a
        million rows of a split and 2 GiB of all are looked at.
        """
        self._splits.add(name, data, role, fold)

    def used(self, name: str, value: Any) -> None:
        """Says which value the program works with, for example `used("optimizer", "sgd")`.

        It is compared with what the configuration asks for under that name (`"model.depth"` for a
        value of an inner table).
        """
        if not isinstance(name, str) or not 0 < len(name) <= 512 or not name.isprintable():
            raise RecorderError(f"used: {name!r} is not a name of 1 to 512 printable characters")
        self._notes.use(name, value)

    def epoch(self, model: str = "model") -> int:
        """Counts one epoch that was really done, and returns its number, from 1.

        Call it once at the end of each; with several models, name the one that was trained.
        """
        if isinstance(model, int):
            raise RecorderError("epoch: give no number; each call counts one epoch")
        require_name("epoch: model", model)
        if model not in self._epochs and len(self._epochs) >= MAX_MODELS:
            raise RecorderError(f"epoch: more than {MAX_MODELS} models")
        self._epochs[model] = self._epochs.get(model, 0) + 1
        return self._epochs[model]

    def predictions(self, name: str, ids: Iterable[Any], values: Iterable[Any]) -> None:
        """Writes one prediction per id, for the harness to score.

        `name` is what the task calls the predictions ("test"). Ids are unique texts or integers,
        values are texts or finite numbers, and there are equally many of both.
        """
        if not isinstance(name, str) or not FILE_NAME.fullmatch(name):
            raise RecorderError(
                f"predictions name {name!r} is not 1 to 64 letters, digits, '_' or '-'"
            )
        keys = [_cell("id", position, item) for position, item in _listed("ids", ids)]
        cells = [_cell("value", position, item) for position, item in _listed("values", values)]
        if len(keys) != len(cells):
            raise RecorderError(f"predictions {name}: {len(keys)} ids, but {len(cells)} values")
        if not keys:
            raise RecorderError(f"predictions {name}: there are none")
        if len(set(keys)) != len(keys):
            raise RecorderError(f"predictions {name}: id {_first_repeated(keys)!r} occurs twice")
        target = self._out / "predictions" / f"{name}.csv"
        if os.path.lexists(target):
            raise RecorderError(f"predictions {name} are already recorded")
        target.parent.mkdir(exist_ok=True)
        text = io.StringIO(newline="")
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(("id", "prediction"))
        rows.writerows(zip(keys, cells, strict=True))
        write_whole(target, text.getvalue().encode("utf-8"))

    def input_path(self, name: str) -> pathlib.Path:
        """The path of one of the task's input files, for example `input_path("train.csv")`."""
        if not isinstance(name, str) or not name or "\0" in name:
            raise RecorderError(f"{name!r} is not the name of an input file")
        root = self._inputs.resolve()
        path = (root / name).resolve()
        if path != root and not path.is_relative_to(root):
            raise RecorderError(f"{name!r} lies outside the input files")
        if not path.is_file():
            known = sorted(item.name for item in itertools.islice(root.iterdir(), 100))
            raise RecorderError(f"there is no input file {name!r}; there are {known}")
        return path

    def progress(self, done: float, total: float, note: str = "") -> None:
        """Says how far the program is, for those who watch: `progress(3, 10, "epoch 3")`.

        Nothing is judged by it. A call costs about as much as writing a small file.
        """
        share, whole = number("progress: done", done), number("progress: total", total)
        if share < 0 or whole <= 0:
            raise RecorderError(
                f"progress: {done} of {total} is no progress; give 0 or more of a positive total"
            )
        said = {"done": share, "total": whole, "note": str(note)[:MAX_NOTE]}
        write_whole(self._out / PROGRESS, json.dumps(said).encode())

    def checkpoint_path(self, name: str) -> pathlib.Path | None:
        """The path of a file that a later execution finds again if this one is lost; else None.

        None unless the task says `interrupted = "resume"`. Write beside the file and rename: what
        is lost midway is found as it stands.
        """
        if self._checkpoint is None:
            return None
        target = self._checkpoint / name_below(self._checkpoint, "checkpoint_path", name)
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def output_path(self, name: str) -> pathlib.Path:
        """The path for a file that the program writes, for example `output_path("model.bin")`."""
        target = self._out / name_below(self._out, "output_path", name)
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def artifact(self, path: str | os.PathLike[str]) -> None:
        """Names a file below the output folder that is to be kept; it has to be there by now."""
        name = name_below(self._out, "artifact", path)
        self._keep(name, "file")

    def figure(self, figure: Any, name: str) -> None:
        """Keeps a matplotlib figure, or a PNG or SVG file, as `figures/NAME` for the report."""
        what = f"figure {name}"
        self._keep(write_figure(self._out, what, figure, name), "figure")

    def _keep(self, name: str, kind: str) -> None:
        size = size_of(self._out, f"artifact {name}", name)
        if name not in self._artifacts and len(self._artifacts) >= MAX_ARTIFACTS:
            raise RecorderError(f"artifact {name}: more than {MAX_ARTIFACTS} artifacts and figures")
        self._artifacts[name] = {"path": name, "bytes": size, "kind": kind}

    def write_result(
        self, nonce: str, *, finished: bool, testimony: Any, error: dict[str, Any] | None
    ) -> None:
        """For the entry point alone: writes `recorded.json`, whole or not at all."""
        splits, overlaps = self._splits.written()
        document = {
            "schema": RESULT_SCHEMA,
            "nonce": nonce,
            "finished": finished,
            "metrics": list(self._metrics.values()),
            "splits": splits,
            "overlaps": overlaps,
            # Before the testimony is copied: that may hold the configuration, and reads it.
            "config": {"received": self._received, **self._notes.written()},
            "epochs": dict(self._epochs),
            "artifacts": list(self._artifacts.values()),
            "testimony": plain(testimony),
            "error": error,
        }
        # allow_nan: a document with a NaN in it is no JSON, and must not be written as if it were.
        text = json.dumps(document, allow_nan=False, separators=(",", ":"))
        write_whole(self._out / "recorded.json", text.encode("ascii") + b"\n")


def _require_unit(name: str, value: float, unit: Any) -> None:
    if unit not in UNITS:
        raise RecorderError(f"metric {name}: unit {unit!r} is none of {', '.join(UNITS)}")
    if unit == "fraction" and not -_FRACTION_SLACK <= value <= 1 + _FRACTION_SLACK:
        raise RecorderError(
            f"metric {name}: {value} is no fraction (0 to 1); use 'percent' or 'none'"
        )
    if unit in ("count", "seconds", "bytes") and value < 0:
        raise RecorderError(f"metric {name}: {value} {unit} is negative")
    is_share = name in _SHARES or name.startswith(("precision_", "recall_", "f1_"))
    if is_share and unit not in ("fraction", "percent"):
        raise RecorderError(
            f"metric {name}: it is a share, and {value} {unit} cannot be compared with one;"
            " use 'fraction' (0 to 1) or 'percent' (0 to 100)"
        )
    if is_share and unit == "percent" and not -1e-7 <= value <= 100 + 1e-7:
        raise RecorderError(f"metric {name}: {value} is no percentage of a whole (0 to 100)")


def _listed(what: str, items: Any) -> Iterable[tuple[int, Any]]:
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise RecorderError(f"{what} is a {type(items).__name__} where a list is expected")
    for position, item in enumerate(items):
        if position >= MAX_PREDICTIONS:
            raise RecorderError(f"more than {MAX_PREDICTIONS} {what}")
        yield position, item


def _cell(what: str, position: int, value: Any) -> str:
    where = f"{what} at position {position}"
    scalar = unwrapped(where, value)
    if isinstance(scalar, str):
        text = str(scalar)
        if len(text) > MAX_CELL_LENGTH or not text or not _is_one_line(text):
            raise RecorderError(
                f"{where} is not one line of 1 to {MAX_CELL_LENGTH} characters: {text[:50]!r}"
            )
        return text
    finite = number(where, scalar)
    if what == "id" and finite == int(finite):
        return str(int(finite))  # a library that reads ids as doubles still names the same row
    return repr(finite)


def _is_one_line(text: str) -> bool:
    return not any(character in "\0\r\n" or "\ud800" <= character <= "\udfff" for character in text)


def _first_repeated(keys: Sequence[str]) -> str:
    return next(key for key, times in collections.Counter(keys).items() if times > 1)
