"""The import check as a process of its own, over the folders in cases/preflight."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import import_child
import process_tree
from tests import CASES, HARNESS
from tests.workspace import Workspace

PREFLIGHT = str(HARNESS / "preflight.py")


def checked(
    workspace: Workspace, *words: str, files: list[str] | None = None, isolated: bool = True
) -> list[dict[str, Any]]:
    """The answers to a request for all files, or for those named, in order."""
    reader, writer = os.pipe()
    with open(reader, encoding="utf-8") as pipe:
        started = subprocess.Popen(
            [
                *(sys.executable, *(["-I"] if isolated else []), PREFLIGHT),
                *("--root", str(workspace.root), "--report-fd", str(writer), *words),
                *("--writable", str(workspace.out)),
                *("--files", *(files or workspace.files())),
            ],
            pass_fds=[writer],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={"PATH": os.environ["PATH"]},
        )
        os.close(writer)
        lines = pipe.read().splitlines()
        output, _ = started.communicate(timeout=120)
    if started.returncode != 0 or output:
        raise AssertionError((started.returncode, output[-2_000:]))
    return [json.loads(line) for line in lines]


def alive(words: str) -> list[int]:
    """Living processes whose command line contains `words`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            is_ours = words.encode() in path.read_bytes()
            state = (path.parent / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if is_ours and state != "Z":
            found.append(int(path.parent.name))
    return found


class CasesTest(unittest.TestCase):
    maxDiff = None

    def reports(self, case: Path, *words: str, isolated: bool = True) -> dict[str, dict[str, Any]]:
        with Workspace() as workspace:
            workspace.add(case)
            reports = checked(workspace, *words, isolated=isolated)
            self.assertEqual([report["path"] for report in reports], workspace.files())
        for report in reports:
            self.assertEqual(
                list(report),
                ["path", "outcome", "exception", "traceback", "leftovers", "warm", "duration_ms"],
            )
        return {report["path"]: report for report in reports}

    def test_accepted(self) -> None:
        for case in sorted((CASES / "preflight" / "accept").iterdir()):
            for isolated in (True, False):
                with self.subTest(case.name, isolated=isolated):
                    for report in self.reports(
                        case, "--max-parallel", "2", isolated=isolated
                    ).values():
                        self.assertEqual(report["outcome"], "passed", report)
                        self.assertIsNone(report["exception"])
                        self.assertEqual(report["traceback"], [])
                        self.assertEqual(report["leftovers"], {"processes": 0, "threads": 0})

    def test_rejected(self) -> None:
        for case in sorted((CASES / "preflight" / "reject").iterdir()):
            expected = json.loads((case / "expect.json").read_text())
            with self.subTest(case.name):
                reports = self.reports(case, "--timeout", "3", "--max-parallel", "2")
                for path, report in reports.items():
                    if path not in expected:
                        self.assertEqual(report["outcome"], "passed", report)
                        continue
                    self.assertEqual(
                        set(report["exception"]),
                        {"type", "message", "file", "line", "missing_module"},
                    )
                    seen = {**report, **report["exception"]}
                    self.assertEqual(
                        {name: seen[name] for name in expected[path]}, expected[path], report
                    )
                    self.assertTrue(report["exception"]["message"] or "Interrupt" in seen["type"])
                    self.assertLess(report["duration_ms"], 10_000)
                self.assertLessEqual(set(expected), set(reports))


class PreflightTest(unittest.TestCase):
    def setUp(self) -> None:
        self.workspace = Workspace()
        self.addCleanup(self.workspace.__exit__)

    def write(self, name: str, text: str) -> str:
        path = self.workspace.root / "src" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return f"src/{name}"

    def test_files_that_are_none(self) -> None:
        (self.workspace.root / "src" / "folder.py").mkdir()
        (self.workspace.root / "top.py").write_text("")
        files = ["src/nothing.py", "src/folder.py", "top.py", "src/../top.py", "src/notes.md"]
        for report in checked(self.workspace, files=files):
            with self.subTest(report["path"]):
                self.assertEqual(report["outcome"], "failed")
                self.assertIn(report["exception"]["type"], ("FileNotFoundError", "ImportError"))

    def test_answers_come_in_the_order_asked(self) -> None:
        slow = self.write("slow.py", "import time\ntime.sleep(0.5)\n")
        quick = self.write("quick.py", "")
        reports = checked(self.workspace, "--max-parallel", "2", files=[slow, quick, slow])
        self.assertEqual([report["path"] for report in reports], [slow, quick, slow])
        self.assertGreaterEqual(reports[0]["duration_ms"], 500)

    def test_two_are_in_flight(self) -> None:
        meet = (
            "import pathlib, time\n"
            "mine, other = {!r}, {!r}\n"
            "pathlib.Path(mine).touch()\n"
            "while not pathlib.Path(other).exists(): time.sleep(0.01)\n"
        )
        marks = [str(self.workspace.out / name) for name in "ab"]
        first = self.write("first.py", meet.format(*marks))
        second = self.write("second.py", meet.format(*reversed(marks)))
        reports = checked(
            self.workspace, "--max-parallel", "2", "--timeout", "20", files=[first, second]
        )
        self.assertEqual([report["outcome"] for report in reports], ["passed", "passed"])

    def test_one_is_in_flight_by_default(self) -> None:
        mark = str(self.workspace.out / "mark")
        alone = f"import os, time\nos.mkdir({mark!r})\ntime.sleep(0.2)\nos.rmdir({mark!r})\n"
        files = [self.write(f"{name}.py", alone) for name in ("one", "two", "three")]
        for report in checked(self.workspace, files=files):
            self.assertEqual(report["outcome"], "passed", report)

    def test_what_an_import_leaves_is_ended(self) -> None:
        daemon = (
            "import os, signal, subprocess, sys\n"
            "if os.fork() == 0:\n"
            "    {new_session}\n"
            "    if os.fork() == 0:\n"
            "        signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            "        os.execv(sys.executable, [sys.executable, '-c',"
            " 'import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
            " time.sleep(600)', {mark!r}])\n"
            "    os._exit(0)\n"
            "os.wait()\n"
        )
        mark = f"left-behind-{os.getpid()}-{time.monotonic_ns()}"
        files = [
            self.write("daemon.py", daemon.format(new_session="os.setsid()", mark=mark)),
            self.write("same_session.py", daemon.format(new_session="pass", mark=mark)),
            self.write(
                "child.py",
                "import subprocess, sys\n"
                "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)',"
                f" {mark!r}])\n",
            ),
            self.write(
                "thread.py",
                "import threading\nthreading.Thread(target=threading.Event().wait).start()\n",
            ),
            self.write("next.py", "import threading\nassert threading.active_count() == 1\n"),
        ]
        for parallel in ("1", "2"):
            with self.subTest(parallel):
                reports = checked(self.workspace, "--max-parallel", parallel, files=files)
                self.assertEqual([report["outcome"] for report in reports], ["passed"] * 5)
                left = [report["leftovers"]["processes"] for report in reports]
                if parallel == "1":
                    self.assertEqual(left, [1, 1, 1, 0, 0])
                else:  # the one in a session of its own is counted where it was found
                    self.assertEqual(sum(left), 3)
                threads = [report["leftovers"]["threads"] for report in reports]
                self.assertEqual(threads, [0, 0, 0, 1, 0])
                self.assertEqual(alive(mark), [])

    def test_a_fork_that_returns_through_the_import_reports_once(self) -> None:
        both = self.write("both.py", "import os\nos.fork()\n")
        after = self.write("after.py", "")
        reports = checked(self.workspace, files=[both, after])
        self.assertEqual([report["outcome"] for report in reports], ["passed", "passed"])

    def test_side_effects_do_not_reach_the_next(self) -> None:
        first = self.write(
            "first.py",
            "import builtins, os, sys\n"
            "builtins.print = None\nsys.path.clear()\nos.environ['SEEN'] = '1'\nos.chdir('/')\n"
            "sys.modules['json'] = None\n",
        )
        second = self.write(
            "second.py",
            "import json, os\nassert print and 'SEEN' not in os.environ\n",
        )
        reports = checked(self.workspace, files=[first, second])
        self.assertEqual([report["outcome"] for report in reports], ["passed", "passed"])

    def test_what_the_harness_imports_is_not_there_for_a_file(self) -> None:
        # Wherever a fresh interpreter has it already, this passes for the same reason.
        for text in ("import sys\nassert 'argparse' not in sys.modules\n", "import in_flight\n"):
            (report,) = checked(self.workspace, files=[self.write("a.py", text)])
            missing = report["outcome"] == "failed" and report["exception"]["missing_module"]
            self.assertEqual(missing, "in_flight" if "in_flight" in text else False, report)
        text = "import importlib\nimportlib.util.find_spec('json')\n"
        alone = subprocess.run([sys.executable, "-I", "-c", text], check=False, timeout=60)
        (report,) = checked(self.workspace, files=[self.write("a.py", text)])
        self.assertEqual(report["outcome"] == "passed", alone.returncode == 0)

    def test_nothing_is_written_to_the_workspace(self) -> None:
        self.write("a.py", "import b\n")
        self.write("b.py", "")
        before = sorted(self.workspace.root.rglob("*"))
        checked(self.workspace)
        self.assertEqual(sorted(self.workspace.root.rglob("*")), before)

    def test_answers_in_a_file(self) -> None:
        path = self.write("a.py", "")
        report = self.workspace.out / "report.jsonl"
        report.write_text("of yesterday\n")
        command = [sys.executable, PREFLIGHT, "--root", str(self.workspace.root)]
        subprocess.run([*command, "--files", path, "--report", str(report)], check=True, timeout=60)
        (line,) = report.read_text().splitlines()
        self.assertEqual(json.loads(line)["outcome"], "passed")
        link = self.workspace.out / "link"
        link.symlink_to(report)
        ended = subprocess.run(
            [*command, "--files", path, "--report", str(link)],
            check=False,
            timeout=60,
            capture_output=True,
        )
        self.assertNotEqual(ended.returncode, 0)

    def test_a_set_up_that_fails_does_not_look_like_the_files_fault(self) -> None:
        program = (
            "import sys, preflight as p\n"
            "asked = p._parsed(sys.argv[1:])\n"
            "nowhere = p.Question('/nowhere/at/all', 30.0)\n"
            "p.check_all(asked, nowhere, p.InFlight(p.Surroundings(p.AT_START, {}), False))\n"
        )
        words = ["--root", str(self.workspace.root), "--report-fd", "1", "--files", "src/main.py"]
        ended = subprocess.run(
            [sys.executable, "-c", program, *words],
            cwd=HARNESS,
            env={"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.PIPE,
            check=True,
            timeout=60,
        )
        report = json.loads(ended.stdout)
        self.assertEqual((report["outcome"], report["exception"]["file"]), ("not_run", None))
        self.assertEqual(report["exception"]["type"], "SetupError")

    def test_a_lower_limit_from_outside_stays(self) -> None:
        path = self.write("a.py", "import resource\nassert resource.getrlimit(0) == (5, 5)\n")
        ended = subprocess.run(
            [
                *("bash", "-c", 'ulimit -t 5; exec "$@"', "-", sys.executable, PREFLIGHT),
                *("--root", str(self.workspace.root), "--report-fd", "1", "--files", path),
            ],
            stdout=subprocess.PIPE,
            check=True,
            timeout=60,
        )
        self.assertEqual(json.loads(ended.stdout)["outcome"], "passed", ended.stdout)

    def test_without_a_view_of_processes(self) -> None:
        with mock.patch.object(os, "listdir", side_effect=PermissionError):
            self.assertEqual(process_tree.threads(), 0)  # never 1, so that nothing is served
            self.assertEqual(process_tree._strays(1, set()), set())
            self.assertIn(3, import_child.descriptors())

    def test_usage_errors(self) -> None:
        for words in (
            ["--root", "/nowhere/at/all"],
            ["--timeout", "0"],
            ["--timeout", "nan"],
            ["--max-parallel", "0"],
            ["--max-parallel", "9"],
        ):
            with self.subTest(words):
                ended = subprocess.run(
                    [
                        *(sys.executable, PREFLIGHT, "--root", str(self.workspace.root)),
                        *("--report-fd", "1", "--files", "src/main.py", *words),
                    ],
                    check=False,
                    timeout=60,
                    capture_output=True,
                )
                self.assertEqual((ended.returncode, ended.stdout), (2, b""))

    def test_its_end_ends_its_children(self) -> None:
        mark = f"ended-with-it-{os.getpid()}-{time.monotonic_ns()}"
        path = self.write(
            "waits.py",
            "import subprocess, sys\n"
            f"subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)', {mark!r}])\n",
        )
        for number in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(number):
                started = subprocess.Popen(
                    [
                        *(sys.executable, PREFLIGHT, "--root", str(self.workspace.root)),
                        *("--report-fd", "1", "--files", path),
                    ],
                    stdout=subprocess.PIPE,
                )
                until(lambda: alive(mark))
                started.send_signal(number)
                output, _ = started.communicate(timeout=60)
                self.assertEqual(output, b"")
                if number == signal.SIGTERM:
                    self.assertEqual(started.returncode, 143)
                    self.assertEqual(alive(mark), [])
                else:  # it cannot sweep any more; its child dies with it all the same
                    until(lambda: not alive(PREFLIGHT))
                    for pid in alive(mark):
                        os.kill(pid, signal.SIGKILL)


def until(condition: Any, seconds: float = 30) -> None:
    """Waits for a condition that another process brings about; fails when it does not."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it did not come about")
        time.sleep(0.01)
