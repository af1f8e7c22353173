"""Files and figures that a program keeps: below its output folder, regular, and of a known kind."""

from __future__ import annotations

import importlib.util
import os
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import recorded_files
import recorder
from tests.test_recorder import RecorderTest

PNG = b"\x89PNG\r\n\x1a\nrest"
SVG = b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>'


class Figure:
    """Like matplotlib's: writes itself where it is told."""

    def savefig(self, path: Any, format: str) -> None:
        Path(path).write_bytes(PNG if format == "png" else b"?")


class FilesTest(RecorderTest):
    def kept(self) -> list[dict[str, Any]]:
        return list(self.recorder._artifacts.values())

    def test_a_file_below_the_output_folder(self) -> None:
        path = self.recorder.output_path("models/best.bin")
        path.write_bytes(b"12345")
        self.recorder.artifact(path)
        self.recorder.artifact("models/best.bin")
        self.assertEqual(self.kept(), [{"path": "models/best.bin", "bytes": 5, "kind": "file"}])

    def test_paths_that_are_refused(self) -> None:
        secret = self.inputs / "secret"
        secret.write_text("x")
        (self.out / "link").symlink_to(secret)
        (self.out / "folder").symlink_to(self.inputs)
        os.mkfifo(self.out / "pipe")
        for path, words in (
            ("../inputs/secret", "lies outside"),
            (secret, "lies outside"),
            ("folder/secret", "lies outside"),
            (self.out, "lies outside"),
            ("link", "is not a regular file"),
            ("pipe", "is not a regular file"),
            ("none", "is not there"),
            ("recorded.json", "the harness's own"),
            ("predictions/test.csv", "the harness's own"),
            ("a b", "is not 1 to 200 letters"),
            (".hidden", "is not 1 to 200 letters"),
            ("x" * 201, "is not 1 to 200 letters"),
            ("a\0", "is no path"),
            (b"bytes", "a bytes is no path"),
            (3, "a int is no path"),
        ):
            with self.subTest(path):
                self.refused(words, self.recorder.artifact, path)
        self.assertEqual(self.kept(), [])
        self.refused("lies outside", self.recorder.output_path, "/etc/x")
        self.refused("the harness's own", self.recorder.output_path, "result.json")

    def test_there_are_only_so_many(self) -> None:
        with mock.patch.object(recorder, "MAX_ARTIFACTS", 1):
            for name in ("a", "b"):
                self.recorder.output_path(name).write_text("x")
            self.recorder.artifact("a")
            self.recorder.artifact("a")
            self.refused("more than 1 artifacts", self.recorder.artifact, "b")

    def test_figures(self) -> None:
        image, drawing = self.inputs / "made.png", self.inputs / "made.svg"
        image.write_bytes(PNG)
        drawing.write_bytes(SVG)
        self.recorder.figure(Figure(), "loss")
        self.recorder.figure(image, "roc")
        self.recorder.figure(str(drawing), "tree")
        self.assertEqual(
            [(kept["path"], kept["kind"]) for kept in self.kept()],
            [(f"figures/{name}", "figure") for name in ("loss.png", "roc.png", "tree.svg")],
        )
        self.assertEqual((self.out / "figures" / "tree.svg").read_bytes(), SVG)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_a_figure_of_matplotlib(self) -> None:
        from matplotlib.figure import Figure as Real

        figure = Real()
        figure.subplots().plot([1, 2, 3])
        self.recorder.figure(figure, "curve")
        (kept,) = self.kept()
        self.assertEqual(kept["path"], "figures/curve.png")
        self.assertEqual(kept["bytes"], (self.out / kept["path"]).stat().st_size)
        self.assertTrue((self.out / kept["path"]).read_bytes().startswith(PNG[:8]))

    def test_what_is_no_figure(self) -> None:
        text, folder = self.inputs / "made.png", self.inputs / "folder"
        text.write_text("no image")
        folder.mkdir()
        for figure, words in (
            (text, "neither a PNG nor an SVG"),
            (folder, "is not a regular file"),
            (self.inputs / "none.png", "cannot be read"),
            ("a\0", "cannot be read"),
            (None, "a NoneType is neither"),
            (3, "a int is neither"),
        ):
            with self.subTest(words):
                self.refused(words, self.recorder.figure, figure, "loss")
        for name in ("", "a/b", "../x", "a.png", None):
            with self.subTest(name):
                self.refused("the name is not", self.recorder.figure, Figure(), name)
        text.write_bytes(PNG)
        with mock.patch.object(recorded_files, "MAX_FIGURE_BYTES", 3):
            self.refused("is larger than 3", self.recorder.figure, text, "loss")
        self.recorder.figure(text, "loss")
        self.refused("already recorded", self.recorder.figure, Figure(), "loss")


class EpochTest(RecorderTest):
    def test_epochs_are_counted_for_each_model(self) -> None:
        self.assertEqual([self.recorder.epoch() for _ in range(3)], [1, 2, 3])
        self.assertEqual(self.recorder.epoch("teacher"), 1)
        self.assertEqual(self.recorder._epochs, {"model": 3, "teacher": 1})
        self.refused("epoch: model", self.recorder.epoch, "")
        self.refused("give no number", self.recorder.epoch, 3)
        with mock.patch.object(recorder, "MAX_MODELS", 2):
            self.refused("more than 2 models", self.recorder.epoch, "third")

    def test_a_name_of_what_is_used(self) -> None:
        for name in ("", 3, None, "x" * 513, "a\ud800", "a\n"):
            self.refused("used: ", self.recorder.used, name, 1)
