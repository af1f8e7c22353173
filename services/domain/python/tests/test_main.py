"""The entry point, run as an executor runs it, over the folders in cases/main."""

from __future__ import annotations

import json
import unittest
from pathlib import Path

from tests import CASES
from tests.workspace import NONCE, Ended, Workspace


def ran(case: Path) -> Ended:
    with Workspace() as workspace:
        workspace.add(case)
        (workspace.inputs / "rows.csv").write_text("id\na\nb\n")
        return workspace.run({"seed": 7})


class MainTest(unittest.TestCase):
    def test_programs_that_finish(self) -> None:
        cases = sorted((CASES / "main" / "accept").iterdir())
        self.assertTrue(cases)
        for case in cases:
            with self.subTest(case.name):
                expected = json.loads((case / "expect.json").read_text())
                ended = ran(case)
                self.assertEqual(ended.status, 0, ended.stderr)
                config = {"received": {"seed": 7}, "read": [], "used": []}
                self.assertEqual(
                    ended.recorded,
                    {
                        "schema": 1,
                        "nonce": NONCE,
                        "finished": True,
                        "metrics": expected["metrics"],
                        "splits": expected.get("splits", []),
                        "overlaps": expected.get("overlaps", []),
                        "config": {**config, **expected.get("config", {})},
                        "epochs": expected.get("epochs", {}),
                        "artifacts": expected.get("artifacts", []),
                        "testimony": expected["testimony"],
                        "error": None,
                    },
                )
                self.assertEqual(ended.predictions, expected.get("predictions", {}))
                extra = {"predictions"} if "predictions" in expected else set()
                extra.update(item["path"].split("/")[0] for item in expected.get("artifacts", []))
                self.assertEqual(ended.names, {"recorded.json"} | extra)

    def test_programs_that_do_not_finish(self) -> None:
        cases = sorted((CASES / "main" / "reject").iterdir())
        self.assertTrue(cases)
        for case in cases:
            with self.subTest(case.name):
                expected = json.loads((case / "expect.json").read_text())
                ended = ran(case)
                self.assertEqual(ended.status, expected["exit"], ended.stderr)
                if expected.get("unreadable"):
                    self.assertIsNone(ended.recorded)
                    continue
                self.assertEqual(ended.recorded["nonce"], NONCE)
                self.assertIs(ended.recorded["finished"], False)
                self.assertIsNone(ended.recorded["testimony"])
                if "metrics" in expected:
                    self.assertEqual(ended.recorded["metrics"], expected["metrics"])
                self._same_error(ended, expected["error"])

    def _same_error(self, ended: Ended, expected: dict[str, object] | None) -> None:
        error = ended.recorded["error"]
        if expected is None:
            self.assertIsNone(error)
            return
        self.assertEqual({name: error[name] for name in expected}, expected)
        self.assertEqual(set(error), {"type", "message", "traceback", "file", "line", "cause"})
        self.assertLess(len(error["traceback"]), 17_000)
        self.assertLess(len(error["message"]), 5_000)
        if ended.stderr:
            self.assertIn(str(error["type"]).rpartition(".")[2], ended.stderr)

    def test_a_result_of_yesterday_is_overwritten_at_the_start(self) -> None:
        with Workspace() as workspace:
            workspace.add(CASES / "main" / "reject" / "os-exit")
            stale = {"schema": 1, "nonce": "yesterday", "finished": True}
            (workspace.out / "recorded.json").write_text(json.dumps(stale))
            ended = workspace.run({})
            self.assertEqual(ended.status, 0)
            self.assertEqual((ended.recorded["nonce"], ended.recorded["finished"]), (NONCE, False))

    def test_a_wrong_set_up_is_the_harness_fault(self) -> None:
        with Workspace() as workspace:
            workspace.add(CASES / "main" / "accept" / "says-failure")
            for change, words in (
                ({"INTERLOCK_NONCE": ""}, "INTERLOCK_NONCE is not set"),
                ({"INTERLOCK_OUT": "/nowhere/at/all"}, "INTERLOCK_OUT is not a folder"),
                ({"INTERLOCK_CONFIG": "/nowhere"}, "INTERLOCK_CONFIG cannot be read"),
            ):
                with self.subTest(change):
                    ended = workspace.run({}, **change)
                    self.assertEqual(ended.status, 70)
                    self.assertIn(words, ended.stderr)
                    self.assertIsNone(ended.recorded)

    def test_an_output_folder_that_cannot_be_written_is_the_harness_fault(self) -> None:
        with Workspace() as workspace:
            workspace.add(CASES / "main" / "accept" / "says-failure")
            (workspace.out / "recorded.json").mkdir()
            ended = workspace.run({})
            self.assertEqual(ended.status, 70)
            self.assertIn("interlock: ", ended.stderr)
            self.assertEqual([path.name for path in workspace.out.iterdir()], ["recorded.json"])

    def test_importing_it_runs_nothing(self) -> None:
        import main

        self.assertTrue(callable(main.main))

    def test_its_list_of_owned_files_is_the_folder(self) -> None:
        import import_child
        import raised
        from tests import SRC

        names = tuple(sorted(f"src/{path.name}" for path in SRC.glob("*.py")))
        self.assertEqual(raised.HARNESS_OWNED, names)
        self.assertEqual(import_child.HARNESS_OWNED, names)
