"""Writes this task's data from scikit-learn's digits: 1,347 rows to learn from, 450 to predict.

Run with the task's own environment; the same versions write the same bytes. Ids are given after
the rows are shuffled, so that they tell nothing about a row's place in the original.
"""

from __future__ import annotations

import csv
from pathlib import Path

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

SEED = 20_260
TEST_ROWS = 450
HERE = Path(__file__).resolve().parent


def main() -> None:
    images, labels = load_digits(return_X_y=True)
    train_images, test_images, train_labels, test_labels = train_test_split(
        images.astype(int), labels, test_size=TEST_ROWS, stratify=labels, random_state=SEED
    )
    pixels = [f"p{number}" for number in range(images.shape[1])]
    write(
        "data/train.csv",
        ["id", "label", *pixels],
        (
            [f"r{number:04}", label, *image]
            for number, (label, image) in enumerate(zip(train_labels, train_images, strict=True))
        ),
    )
    write(
        "data/test.csv",
        ["id", *pixels],
        ([f"t{number:04}", *image] for number, image in enumerate(test_images)),
    )
    write(
        "sealed/truth.csv",
        ["id", "label"],
        ([f"t{number:04}", label] for number, label in enumerate(test_labels)),
    )


def write(name: str, header: list[str], rows: object) -> None:
    path = HERE / name
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
