"""What the executor has to set, and what is said when it does not."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path

from arguments import MAX_CONFIG_BYTES, ArgumentsError, from_environment


class ArgumentsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.config = self.folder / "config.json"
        self.config.write_text('{"seed": 7, "nested": {"rates": [0.1]}}')
        self.environ = {
            "INTERLOCK_OUT": folder.name,
            "INTERLOCK_NONCE": "01J-x",
            "INTERLOCK_CONFIG": str(self.config),
            "INTERLOCK_INPUTS": folder.name,
        }

    def refused(self, words: str, **changes: str) -> None:
        with self.assertRaises(ArgumentsError) as caught:
            from_environment({**self.environ, **changes})
        self.assertIn(words, str(caught.exception))

    def test_a_complete_environment(self) -> None:
        given = from_environment(self.environ)
        self.assertEqual(given.out, self.folder)
        self.assertEqual(given.inputs, self.folder)
        self.assertEqual(given.nonce, "01J-x")
        self.assertEqual(given.config, {"seed": 7, "nested": {"rates": [0.1]}})

    def test_a_checkpoint_folder_may_be_there(self) -> None:
        self.assertIsNone(from_environment(self.environ).checkpoint)
        given = from_environment({**self.environ, "INTERLOCK_CHECKPOINT": str(self.folder)})
        self.assertEqual(given.checkpoint, self.folder)
        self.refused("INTERLOCK_CHECKPOINT is not set", INTERLOCK_CHECKPOINT="")
        self.refused("is not a folder", INTERLOCK_CHECKPOINT=str(self.config))

    def test_each_variable_is_needed(self) -> None:
        for name in self.environ:
            with self.subTest(name):
                self.refused(f"{name} is not set", **{name: ""})

    def test_folders(self) -> None:
        for name in ("INTERLOCK_OUT", "INTERLOCK_INPUTS"):
            with self.subTest(name):
                self.refused("is not a folder", **{name: str(self.config)})
                self.refused("is not an absolute path", **{name: "out"})

    def test_nonces(self) -> None:
        for nonce in ("x" * 257, "größe", "a\nb"):
            with self.subTest(nonce):
                self.refused("is not printable ASCII", INTERLOCK_NONCE=nonce)

    def test_configurations_that_are_none(self) -> None:
        for text, words in (
            ("[1]", "holds a list"),
            ("null", "holds a NoneType"),
            ("{", "is not JSON"),
            ('{"rate": NaN}', "NaN is not a JSON number"),
            ('{"rate": -Infinity}', "-Infinity is not a JSON number"),
            ("[" * 200_000, "is not JSON"),
            ('"' + "x" * MAX_CONFIG_BYTES + '"', "is not a file of at most"),
        ):
            with self.subTest(text[:20]):
                self.config.write_text(text)
                self.refused(words)

    def test_a_configuration_that_is_no_text(self) -> None:
        self.config.write_bytes(b'{"a": "\xff"}')
        self.refused("is not JSON")

    def test_a_configuration_that_is_no_file(self) -> None:
        self.refused("is not a file", INTERLOCK_CONFIG=str(self.folder))
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        self.refused("is not a file", INTERLOCK_CONFIG=str(pipe))
        self.refused("cannot be read", INTERLOCK_CONFIG=str(self.folder / "nothing"))
