"""What counts as reading the configuration, and what the program says that it used."""

from __future__ import annotations

import copy
import json
import pickle
import types
import unittest
from collections.abc import Callable
from typing import Any
from unittest import mock

import recorded_config
from recorded_config import Config, Notes
from recorder import RecorderError

ASKED = {"seed": 7, "model": {"depth": 3, "width": 8}, "empty": {}}


class ConfigTest(unittest.TestCase):
    def setUp(self) -> None:
        self.notes = Notes()
        self.config = Config(ASKED, self.notes)

    def read(self) -> list[str]:
        return sorted(".".join(path) for path in self.notes.written()["read"])

    def used(self) -> dict[str, Any]:
        return {entry["name"]: entry["value"] for entry in self.notes.written()["used"]}

    def test_it_is_the_dictionary_that_it_stands_for(self) -> None:
        self.assertEqual(self.config, ASKED)
        self.assertIsInstance(self.config, dict)
        self.assertEqual(sorted(self.config), ["empty", "model", "seed"])
        self.assertEqual(repr(self.config), repr(ASKED))
        self.assertEqual(len(self.config), 3)
        self.assertIsNone(self.config.get("none"))
        with self.assertRaises(KeyError):
            self.config["none"]
        with self.assertRaises(KeyError):
            self.config.pop("none")
        self.assertEqual(self.config.pop("none", 1), 1)

    def test_looking_at_the_names_reads_nothing(self) -> None:
        self.assertIn("seed", self.config)
        self.assertEqual(list(self.config.keys()), list(ASKED))
        self.assertIn("depth", self.config["model"])
        self.config.get("none", 3)
        self.assertEqual(self.read(), [])

    def test_each_value_is_read_on_its_own(self) -> None:
        self.assertEqual(self.config["model"]["depth"], 3)
        self.assertEqual(self.config.get("empty"), {})
        self.assertEqual(self.read(), ["empty", "model.depth"])

    def test_every_way_to_all_values_reads_them(self) -> None:
        def called(**named: Any) -> dict[str, Any]:
            return named

        whole = ["empty", "model.depth", "model.width", "seed"]
        ways: list[tuple[Callable[[Any], Any], list[str]]] = [
            (json.dumps, whole),
            (copy.deepcopy, whole),
            (copy.copy, whole),
            (lambda config: pickle.loads(pickle.dumps(config)), whole),
            (lambda config: called(**config), ["empty", "seed"]),
            (dict, ["empty", "seed"]),
            (lambda config: {**config}, ["empty", "seed"]),
            (lambda config: config | {}, ["empty", "seed"]),
            (lambda config: {} | config, ["empty", "seed"]),
            (lambda config: config.copy(), ["empty", "seed"]),
            (lambda config: list(config.items()), ["empty", "seed"]),
            (lambda config: list(config.values()), ["empty", "seed"]),
            (lambda config: [config.popitem() for _ in range(3)], ["empty", "seed"]),
            (
                lambda config: types.SimpleNamespace(**config["model"]),
                ["model.depth", "model.width"],
            ),
        ]
        for number, (way, expected) in enumerate(ways):
            with self.subTest(number):
                self.setUp()
                way(self.config)
                self.assertEqual(self.read(), expected)

    def test_a_copy_is_a_plain_dictionary(self) -> None:
        for copied in (copy.deepcopy(self.config), pickle.loads(pickle.dumps(self.config))):
            self.assertEqual(copied, ASKED)
            self.assertIs(type(copied), dict)
            self.assertIs(type(copied["model"]), dict)

    def test_what_is_set_is_used(self) -> None:
        self.config["seed"] = 8
        self.config["model"]["depth"] = 1
        self.config.update(new=True)
        self.config |= {"other": None}
        self.assertEqual(self.config.setdefault("seed", 1), 8)
        self.assertEqual(self.config.setdefault("more", "x"), "x")
        self.assertEqual(self.used(), {"seed": 8, "model.depth": 1})

    def test_what_the_program_put_there_itself_is_its_own(self) -> None:
        own: dict[Any, Any] = self.config
        for name in (3, None, "\ud800", ("a", 1)):
            own[name] = 1
            self.assertEqual(own[name], 1)
        self.assertEqual((self.read(), self.used()), ([], {}))

    def test_setting_a_value_never_fails(self) -> None:
        with mock.patch.object(recorded_config, "MAX_USED", 2):
            self.config["seed"] = "x" * 5_000
            for seed in range(5):
                self.config["seed"] = seed
                self.config[f"scratch{seed}"] = seed
        self.assertEqual(self.config["seed"], 4)
        used = [entry["value"] for entry in self.notes.written()["used"]]
        self.assertEqual(used, ["<cut: str>", 0])

    def test_what_is_used_is_kept_once_and_bounded(self) -> None:
        with mock.patch.object(recorded_config, "MAX_USED", 2):
            for value in (0.1, 0.1, 0.2, 0.1):
                self.notes.use("rate", value)
            with self.assertRaisesRegex(RecorderError, "used rate: more than 2"):
                self.notes.use("rate", 0.3)
        self.assertEqual(len(self.notes.written()["used"]), 2)
        with self.assertRaisesRegex(RecorderError, "used rates: the value takes 6005 characters"):
            self.notes.use("rates", [0.25] * 1_000 + ["x"])
