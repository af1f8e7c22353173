"""matplotlib: a figure as PNG, PDF and SVG, without a display, with a cache of fonts to make."""

import os
import pathlib

import matplotlib.pyplot as plt

figure, axes = plt.subplots()
axes.plot(range(10), [n * n for n in range(10)], label="squares")
axes.set_title("Größe")
axes.legend()
out = pathlib.Path(os.environ["OUT"])
for kind, head in [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")]:
    figure.savefig(out / f"figure.{kind}")
    assert (out / f"figure.{kind}").read_bytes().startswith(head)
