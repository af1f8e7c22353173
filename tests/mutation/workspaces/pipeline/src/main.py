"""Counts the words of a text."""

import tempfile
from pathlib import Path

import report
import steps
from options import CleanOptions, Options


def run(options: Options) -> str:
    lines = steps.read_lines(options.source, encoding="utf-8")
    found = steps.words(lines, options=options.clean)
    counts = steps.count(found, top=options.top)
    return report.render(report.rows(counts), title="top")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "text.txt")
        source.write_text("The cat and the dog\nand the bird\n", encoding="utf-8")
        clean = CleanOptions(drop=frozenset({"and"}))
        options = Options(source, clean=clean, top=2)
        assert run(options) == "top\nthe  3 75%\nbird 1 25%", run(options)
        assert run(options.only(top=1)).endswith("100%")
        cased = Options(source, clean=CleanOptions(lower=False))
        assert "The 1" in run(cased.only(9)).replace("  ", " ")
        assert options.shown()["top"] == 2
    row = report.Row("a", 1)
    assert row.shown(width=2) == "a  1 0%"
    assert steps.normal("A", lower=True) == "a"


if __name__ == "__main__":
    main()
