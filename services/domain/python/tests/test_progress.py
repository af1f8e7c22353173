"""How far a program says that it is, and where it keeps what a later execution needs."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

from recorder import PROGRESS, Recorder, RecorderError


class ProgressTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out, self.kept = Path(folder.name, "out"), Path(folder.name, "kept")
        self.out.mkdir()
        self.kept.mkdir()
        self.recorder = Recorder(self.out, self.out, {}, self.kept)

    def said(self) -> dict[str, object]:
        return json.loads((self.out / PROGRESS).read_text())

    def test_the_last_word_counts(self) -> None:
        self.recorder.progress(1, 10)
        self.assertEqual(self.said(), {"done": 1, "total": 10, "note": ""})
        self.recorder.progress(2.5, 10, "epoch 2" + "!" * 500)
        self.assertEqual(self.said()["done"], 2.5)
        self.assertEqual(len(str(self.said()["note"])), 200)

    def test_what_is_no_progress_is_refused(self) -> None:
        for done, total in ((-1, 10), (1, 0), (1, -5), (float("nan"), 10), ("1", 10)):
            with self.subTest(done=done, total=total), self.assertRaises(RecorderError):
                self.recorder.progress(done, total)
        self.assertFalse((self.out / PROGRESS).exists())

    def test_a_checkpoint_is_a_file_of_its_folder(self) -> None:
        path = self.recorder.checkpoint_path("epoch/state.json")
        path.write_text("7")
        self.assertEqual((self.kept / "epoch/state.json").read_text(), "7")
        with self.assertRaises(RecorderError):
            self.recorder.checkpoint_path("../state.json")

    def test_without_a_checkpoint_folder_there_is_no_path(self) -> None:
        self.assertIsNone(Recorder(self.out, self.out, {}).checkpoint_path("state.json"))


if __name__ == "__main__":
    unittest.main()
