"""numpy and pandas: linear algebra, a table grouped, written and read."""

import os
import pathlib

import numpy as np
import pandas as pd

rng = np.random.default_rng(1)
matrix = rng.normal(size=(200, 200))
assert np.allclose(np.linalg.inv(matrix) @ matrix, np.eye(200), atol=1e-6)
table = pd.DataFrame({"group": rng.integers(0, 5, 10_000), "value": rng.normal(size=10_000)})
means = table.groupby("group")["value"].mean()
path = pathlib.Path(os.environ["OUT"]) / "means.csv"
means.to_csv(path)
assert np.allclose(pd.read_csv(path)["value"], means.to_numpy())
np.save(path.with_suffix(".npy"), matrix)
assert np.array_equal(np.load(path.with_suffix(".npy"), mmap_mode="r"), matrix)
