"""The interpreter's verdict, over the files in cases/compile."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import unittest
from typing import Any, NoReturn

import compile_check
from tests import CASES, HARNESS


def asked(stdin: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-S", str(HARNESS / "compile_check.py")],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def answer(**texts: str) -> dict[str, dict[str, Any]]:
    """Texts by path → results by path, as one request to a process."""
    request = {"files": [{"path": path, "text": text} for path, text in texts.items()]}
    ended = asked(json.dumps(request))
    if (ended.returncode, ended.stderr) != (0, ""):
        raise AssertionError(ended)
    whole = json.loads(ended.stdout)
    if whole["python"] != platform.python_version():
        raise AssertionError(whole["python"])
    return {result.pop("path"): result for result in whole["results"]}


class CompileCheckTest(unittest.TestCase):
    def texts(self, kind: str) -> dict[str, str]:
        paths = sorted((CASES / "compile" / kind).glob("*.py"))
        self.assertTrue(paths)
        return {path.name: path.read_text() for path in paths}

    def test_accepted(self) -> None:
        for name, result in answer(**self.texts("accept")).items():
            with self.subTest(name):
                self.assertEqual(result, {"ok": True})

    def test_rejected(self) -> None:
        for name, result in answer(**self.texts("reject")).items():
            with self.subTest(name):
                path = CASES / "compile" / "reject" / name
                expected = json.loads(path.with_suffix(".json").read_text())
                self.assertIs(result["ok"], False)
                self.assertEqual({key: result[key] for key in expected}, expected)
                self.assertTrue(result["message"])

    def test_texts_that_no_file_can_hold(self) -> None:
        results = answer(nul="x = 1\0", surrogate="x = '\ud800'")
        self.assertIn(results["nul"]["kind"], ("SyntaxError", "ValueError"))
        self.assertEqual(results["surrogate"]["kind"], "UnicodeEncodeError")

    def test_a_file_is_read_up_to_a_size(self) -> None:
        fits = "#" * compile_check.MAX_BYTES
        results = answer(fits=fits, larger=fits + "#")
        self.assertEqual(results["fits"], {"ok": True})
        self.assertEqual(results["larger"]["kind"], "TooLarge")

    def test_depth_is_a_verdict_and_no_crash(self) -> None:
        results = answer(
            parentheses="(" * 5_000 + ")" * 5_000, minus="-" * 50_000 + "1", next="x = 1"
        )
        self.assertIs(results["parentheses"]["ok"], False)
        self.assertIs(results["minus"]["ok"], False)
        self.assertEqual(results["next"], {"ok": True})

    def test_nothing_is_executed(self) -> None:
        self.assertEqual(answer(a="raise SystemExit(3)"), {"a": {"ok": True}})

    def test_what_a_compiler_may_do(self) -> None:
        def dies(*_: Any, **__: Any) -> NoReturn:
            os.kill(os.getpid(), signal.SIGSEGV)
            raise AssertionError

        def ends(*_: Any, **__: Any) -> NoReturn:
            os._exit(0)

        def fails(*_: Any, **__: Any) -> NoReturn:
            raise KeyError

        def spins(*_: Any, **__: Any) -> NoReturn:
            while True:
                pass

        def raises(kind: type[Exception]) -> Any:
            def compiler(*_: Any, **__: Any) -> NoReturn:
                raise kind("words")

            return compiler

        for compiler, kind in (
            (dies, "Crashed"),
            (ends, "Crashed"),
            (fails, "Crashed"),
            (spins, "TimedOut"),
            (raises(RecursionError), "RecursionError"),
            (raises(MemoryError), "MemoryError"),
            (raises(OverflowError), "OverflowError"),
            (raises(ValueError), "ValueError"),
        ):
            with self.subTest(kind):
                result = compile_check.checked("a.py", "x = 1", compiler, cpu_seconds=1)
                self.assertEqual((result["ok"], result["kind"]), (False, kind))

    def test_a_lower_limit_from_outside_stays(self) -> None:
        ended = subprocess.run(
            [
                *("bash", "-c", 'ulimit -t 5; exec "$@"', "-", sys.executable),
                str(HARNESS / "compile_check.py"),
            ],
            input='{"files": [{"path": "a.py", "text": "x = 1"}]}',
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        self.assertEqual(json.loads(ended.stdout)["results"], [{"path": "a.py", "ok": True}])

    def test_a_request_that_is_none(self) -> None:
        for stdin in ("", "[]", "{}", '{"files": [{"path": "a"}]}', '{"files": 3}', "[" * 200_000):
            with self.subTest(stdin[:20]):
                ended = asked(stdin)
                self.assertEqual((ended.returncode, ended.stdout), (2, ""))
                self.assertIn("not a request", ended.stderr)
