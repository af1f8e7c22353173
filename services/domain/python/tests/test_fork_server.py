"""The fork server as a process of its own, over named pipes, as the verifier asks it.

Packages are stand-ins on PYTHONPATH: the point is what is loaded when, by whom, and who sees what.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import fork_server
import landlock
from tests import HARNESS
from tests.test_preflight import alive, until
from tests.workspace import Workspace

SERVER = str(HARNESS / "fork_server.py")
LOADED = {"id": 0, "done": True}


class Served(unittest.TestCase):
    """A folder with a workspace and packages, and at most one server."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.packages = self.folder / "packages"
        self.packages.mkdir()
        self.count = self.folder / "count"
        (self.packages / "heavy.py").write_text(
            "import os\n"
            f"with open({str(self.count)!r}, 'a') as file:\n"
            "    file.write(os.environ.get('OMP_NUM_THREADS', '-') + '\\n')\n"
        )
        self.workspace = Workspace()
        self.addCleanup(self.workspace.__exit__)
        self.number = 0

    def write(self, name: str, text: str) -> str:
        path = self.workspace.root / "src" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return f"src/{name}"

    def serve(self, *preload: str, parallel: int = 1) -> dict[str, Any]:
        requests, answers = self.folder / "requests", self.folder / "answers"
        for pipe in (requests, answers):
            os.mkfifo(pipe)
        # Open both ways, so that neither side has to wait for the other.
        self.requests = os.fdopen(os.open(requests, os.O_RDWR), "wb", buffering=0)
        self.addCleanup(self.requests.close)
        self.answers = os.fdopen(os.open(answers, os.O_RDWR), "rb")
        self.addCleanup(self.answers.close)
        readable = {sys.prefix, sys.base_prefix, "/usr", "/lib", "/lib64", "/etc", "/proc", "/dev"}
        self.server = subprocess.Popen(
            [
                *(sys.executable, SERVER, "--root", str(self.workspace.root.parent)),
                *("--requests", str(requests), "--answers", str(answers)),
                *("--max-parallel", str(parallel)),
                *("--readable", *sorted(readable), str(self.packages)),
            ],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(self.packages)},
        )
        self.addCleanup(self.stop)
        self.assertEqual(self.heard(), {"ready": True, "python": platform.python_version()})
        self.say(id=0, load=preload)
        return self.heard()

    def stop(self) -> None:
        self.server.terminate()
        self.server.wait(timeout=60)

    def heard(self) -> dict[str, Any]:
        return json.loads(self.answers.readline())

    def say(self, **request: Any) -> None:
        self.requests.write(json.dumps(request).encode() + b"\n")

    def ask(self, *files: str, timeout: float = 20, memory: int = 1 << 30) -> int:
        self.number += 1
        folder, names = self.workspace.root.name, list(files) or self.workspace.files()
        self.say(id=self.number, folder=folder, files=names, timeout=timeout, memory=memory)
        return self.number

    def checked(self, *files: str, **limits: Any) -> dict[str, dict[str, Any]]:
        number = self.ask(*files, **limits)
        reports = {}
        while True:
            answer = self.heard()
            self.assertEqual(answer["id"], number)
            if "cold" in answer:
                return {"cold": answer}
            if "done" in answer:
                return reports
            self.assertTrue(answer["warm"])
            reports[answer["path"]] = answer

    def outcome(self, text: str, **limits: Any) -> dict[str, Any]:
        path = self.write("tried.py", text)
        return self.checked(path, **limits)[path]


class PreloadTest(Served):
    def test_a_package_is_imported_once_with_one_thread(self) -> None:
        self.write("a.py", "import heavy, os\nassert 'OMP_NUM_THREADS' not in os.environ\n")
        self.write("b.py", "import heavy\n")
        self.assertEqual(self.serve("heavy"), LOADED)
        for _ in range(2):
            reports = self.checked()
            self.assertEqual({r["outcome"] for r in reports.values()}, {"passed"}, reports)
        self.assertEqual(self.count.read_text(), "1\n")

    def test_a_package_that_is_missing_fails_in_the_file_that_needs_it(self) -> None:
        self.serve("absent", "heavy")
        report = self.outcome("import absent\n")
        self.assertEqual(report["exception"]["missing_module"], "absent")
        self.assertEqual(self.checked("src/main.py")["src/main.py"]["outcome"], "passed")

    def test_a_thread_left_by_a_package_means_no_service(self) -> None:
        (self.packages / "threaded.py").write_text(
            "import threading, time\n"
            "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n"
        )
        self.assertEqual(self.serve("heavy", "threaded"), {"id": 0, "spoiled": "threaded"})
        self.assertEqual(self.server.wait(timeout=60), 3)

    def test_a_name_that_a_package_has_loaded_is_asked_cold(self) -> None:
        (self.packages / "outer.py").write_text("import heavy\n")
        self.serve("outer")
        self.write("heavy.py", "OWN = True\n")
        self.assertIn("heavy", self.checked()["cold"]["cold"])
        (self.workspace.root / "src" / "heavy.py").unlink()
        self.assertNotIn("cold", self.checked())

    def test_so_is_one_that_a_package_looked_for_and_did_not_find(self) -> None:
        # The run has the workspace on its path, and the package would take the file up.
        (self.packages / "outer.py").write_text(
            "try:\n    import optional_extra\nexcept ImportError:\n    optional_extra = None\n"
        )
        self.serve("outer")
        self.write("optional_extra.py", "raise RuntimeError\n")
        self.assertIn("optional_extra", self.checked()["cold"]["cold"])

    def test_the_harness_is_no_module_of_a_workspace(self) -> None:
        self.serve()
        for name in ("fork_server", "import_child", "in_flight", "landlock", "process_tree"):
            report = self.outcome(f"import {name}\n")
            self.assertEqual(report["exception"]["missing_module"], name)

    def test_a_workspace_may_name_its_files_as_the_harness_does(self) -> None:
        self.serve()
        self.write("landlock.py", "OWN = True\n")
        self.write("json.py", "OWN = True\n")
        self.assertEqual(
            self.outcome("from landlock import OWN\nfrom json import OWN\n")["outcome"], "passed"
        )


class ShownTest(Served):
    """A file sees what its own imports bring along, whatever was loaded for others."""

    def setUp(self) -> None:
        super().setUp()
        package = self.packages / "pack"
        (package / "inner").mkdir(parents=True)
        (package / "__init__.py").write_text("from .base import BASE\n")
        (package / "base.py").write_text("BASE = 1\n")
        (package / "extra.py").write_text("import pack.inner.deep\nfrom . import third\n")
        (package / "third.py").write_text("from .base import BASE\n")
        (package / "inner" / "__init__.py").write_text("")
        (package / "inner" / "deep.py").write_text("import json.tool\nDEEP = 1\n")
        (package / "lazy.py").write_text(
            "import importlib\n\n\ndef later():\n    return importlib.import_module('pack.extra')\n"
        )
        (self.packages / "user.py").write_text(
            "import pack.lazy\nthird = pack.lazy.later().third\n"
        )
        self.assertEqual(self.serve("pack.extra", "user", "pack.absent", "xml.dom.minidom"), LOADED)

    def same_as_alone(self, text: str) -> str:
        """What a file makes of it here; the same as in an interpreter that has loaded nothing."""
        alone = subprocess.run(
            [sys.executable, "-c", text],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(self.packages)},
            check=False,
            timeout=60,
            capture_output=True,
        )
        report = self.outcome(text)
        said = "passed" if report["outcome"] == "passed" else report["exception"]["type"]
        last = alone.stderr.decode().strip().rpartition("\n")[2].partition(":")[0]
        self.assertEqual(said, last or "passed", (text, report))
        return said

    def test_a_file_sees_what_a_fresh_interpreter_would_show_it(self) -> None:
        for text, expected in {
            "import pack\npack.base\n": "passed",
            "import pack\npack.extra\n": "AttributeError",
            "import pack\npack.inner\n": "AttributeError",
            "import pack.extra\npack.inner.deep\npack.third\n": "passed",
            "import pack.inner\npack.inner.deep\n": "AttributeError",
            "from pack import extra\nextra.third.BASE\n": "passed",
            "from pack import absent\n": "ImportError",
            "import pack.absent\n": "ModuleNotFoundError",
            "import pack.lazy\npack.extra\n": "AttributeError",
            "import user\nimport pack\npack.extra\npack.inner.deep\n": "passed",
            "import sys\nassert not {'pack', 'json'} & sys.modules.keys()\n": "passed",
            "import pack.third, sys\nassert 'pack.extra' not in sys.modules\n": "passed",
            "import xml\nxml.dom\n": "AttributeError",
            "import xml.dom.minidom\nxml.dom.minidom.parseString('<a/>')\n": "passed",
            "import importlib\nimportlib.util\n": None,
            "import concurrent\nconcurrent.futures\n": "AttributeError",
            "import json\njson.decoder.JSONDecodeError\n": "passed",
            "import json\njson.tool\n": "AttributeError",
        }.items():
            with self.subTest(text):
                said = self.same_as_alone(text)
                self.assertIn(said, [expected or said])

    def test_a_module_is_itself_after_it_was_shown(self) -> None:
        report = self.outcome(
            "import sys, pack.extra, pack\n"
            "for module in (pack, pack.extra, pack.inner.deep):\n"
            "    assert sys.modules[module.__name__] is module\n"
            "    assert module.__spec__.origin == module.__file__, module.__spec__\n"
            "    assert type(module.__spec__.loader).__name__ == 'SourceFileLoader'\n"
            "assert pack.__spec__.submodule_search_locations == pack.__path__\n"
        )
        self.assertEqual(report["outcome"], "passed", report)

    def test_loading_goes_on_later(self) -> None:
        (self.packages / "late.py").write_text("import pack.third\nimport heavy\n")
        self.say(id=0, load=["late"])
        self.assertEqual(self.heard(), LOADED)
        self.same_as_alone("import late\nlate.pack.third\nlate.heavy\n")
        self.same_as_alone("import late\nlate.pack.extra\n")


class IsolationTest(Served):
    def setUp(self) -> None:
        super().setUp()
        self.serve("heavy")

    def assert_refused(self, text: str) -> None:
        report = self.outcome(text)
        self.assertEqual(report["outcome"], "failed", report)
        self.assertEqual(report["exception"]["type"], "PermissionError", report)

    def test_it_cannot_reach_the_server(self) -> None:
        for text in (
            "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n",
            "import os, signal\nos.kill(os.getppid(), 0)\n",
            "import os\nopen(f'/proc/{os.getppid()}/mem', 'r+b')\n",
            "import os\nos.readlink(f'/proc/{os.getppid()}/root')\n",
        ):
            with self.subTest(text):
                self.assert_refused(text)
        self.assertEqual(self.outcome("")["outcome"], "passed")

    def test_it_cannot_reach_a_check_that_runs_beside_it(self) -> None:
        self.stop()
        for name in ("requests", "answers"):
            (self.folder / name).unlink()
        self.serve("heavy", parallel=2)
        waits = self.write("waits.py", "import time\ntime.sleep(1)\n")
        kills = self.write(
            "kills.py",
            "import os, signal\n"
            "refused = 0\n"
            "for name in os.listdir('/proc'):\n"
            "    if name.isdigit() and int(name) not in (os.getpid(),):\n"
            "        try:\n"
            "            os.kill(int(name), 0)\n"
            "        except OSError:\n"
            "            refused += 1\n"
            "        else:\n"
            "            raise RuntimeError(name)\n"
            "assert refused > 1\n",
        )
        reports = self.checked(waits, kills)
        self.assertEqual({r["outcome"] for r in reports.values()}, {"passed"}, reports)

    def test_it_sees_no_other_workspace_and_not_the_pipes(self) -> None:
        other = self.workspace.root.parent / "other"
        other.mkdir()
        (other / "secret.txt").write_text("")
        for path in (other / "secret.txt", self.folder / "answers", self.folder / "requests"):
            self.assert_refused(f"open({str(path)!r}, 'r+b')\n")
            self.assert_refused(f"open({str(path)!r}, 'rb')\n")
        self.assert_refused(f"import os\nos.listdir({str(other)!r})\n")

    def test_it_writes_nowhere(self) -> None:
        for folder in (self.workspace.root, self.workspace.out, self.folder, "/dev/shm", "/tmp"):
            with self.subTest(folder):
                self.assert_refused(f"open({str(folder) + '/made-by-import'!r}, 'w')\n")
        self.assertEqual(self.outcome("open('/dev/null', 'w').write('')\n")["outcome"], "passed")

    def test_it_inherits_no_descriptor(self) -> None:
        report = self.outcome(
            "import os\n"
            "links = []\n"
            "for name in os.listdir('/proc/self/fd'):\n"
            "    try:\n"
            "        links.append(os.readlink(f'/proc/self/fd/{name}'))\n"
            "    except FileNotFoundError:\n"
            "        pass  # the listing's own\n"
            "assert sorted(links)[:3] == ['/dev/null'] * 3, links\n"
            "own = [link for link in links[3:] if not link.endswith('.py')]\n"
            "assert len(own) == 1 and own[0].startswith('pipe:'), links\n"
        )
        self.assertEqual(report["outcome"], "passed", report)

    def test_what_one_does_is_gone_for_the_next(self) -> None:
        first = "import builtins, os, sys, heavy\nheavy.seen = builtins.print = sys.path[:] = []\n"
        self.assertEqual(self.outcome(first)["outcome"], "passed")
        self.assertEqual(
            self.outcome("import heavy\nassert not hasattr(heavy, 'seen') and print\n")["outcome"],
            "passed",
        )

    def test_no_pass_without_a_report(self) -> None:
        cases = {
            "import os\nos._exit(0)\n": "exited",
            "import sys\nsys.exit(0)\n": "exited",
            "while True: pass\n": "timed_out",
            "import time\ntime.sleep(60)\n": "timed_out",
            "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n": "killed",
            "import os\nos.fork() and os._exit(1)\n": "exited",
        }
        for text, outcome in cases.items():
            with self.subTest(text):
                self.assertEqual(self.outcome(text, timeout=1)["outcome"], outcome)

    def test_memory_has_a_limit_per_import(self) -> None:
        hog = "held = bytearray(200 << 20)\n"
        self.assertEqual(self.outcome(hog)["outcome"], "passed")
        self.assertEqual(self.outcome(hog, memory=100 << 20)["exception"]["type"], "MemoryError")
        touched_and_freed = "held = bytearray(120 << 20)\ndel held\n"
        report = self.outcome(touched_and_freed, memory=100 << 20)
        self.assertEqual(
            (report["outcome"], report["exception"]["type"]), ("killed", "MemoryError")
        )

    def test_what_it_leaves_is_ended(self) -> None:
        mark = f"left-by-warm-{os.getpid()}"
        report = self.outcome(
            "import os, sys\n"
            "if os.fork() == 0:\n"
            "    os.setsid()\n"
            "    if os.fork() == 0:\n"
            "        os.execv(sys.executable, [sys.executable, '-c',"
            f" 'import time; time.sleep(600)', {mark!r}])\n"
            "    os._exit(0)\n"
            "os.wait()\n"
        )
        self.assertEqual((report["outcome"], report["leftovers"]["processes"]), ("passed", 1))
        self.assertEqual(alive(mark), [])


class CompileTest(Served):
    def compiles(self, *texts: str) -> str:
        names = [self.write(f"source{number}.py", text) for number, text in enumerate(texts)]
        self.number += 1
        folder = self.workspace.root.name
        asked = dict(files=[], compile=names, timeout=20, memory=1 << 30)
        self.say(id=self.number, folder=folder, **asked)
        answer = self.heard()
        self.assertEqual((answer["id"], answer["path"]), (self.number, ""))
        self.assertEqual(self.heard(), {"id": self.number, "done": True})
        return answer["outcome"]

    def test_it_compiles_and_runs_nothing(self) -> None:
        self.serve()
        self.assertEqual(self.compiles("raise SystemExit\n", "import absent\n", ""), "passed")

    def test_what_the_compiler_refuses_is_no_pass(self) -> None:
        self.serve()
        long = "x = 1\n" * 200_000
        for text in ("def\n", "return 1\n", "\x00", "# coding: latin-1\n", long):
            with self.subTest(text[:20]):
                self.assertNotEqual(self.compiles("", text, ""), "passed")


class ObstacleTest(unittest.TestCase):
    def test_where_children_cannot_be_confined_nothing_is_served(self) -> None:
        self.assertIsNone(fork_server._obstacle())
        with mock.patch.object(landlock, "domain", return_value=None):
            self.assertIn("landlock 6", fork_server._obstacle() or "")
        with mock.patch.object(os, "listdir", side_effect=PermissionError):
            self.assertIn("threads", fork_server._obstacle() or "")


class LifeTest(Served):
    def test_a_request_can_be_taken_back(self) -> None:
        self.serve()
        mark = f"cancelled-{os.getpid()}"
        waits = self.write(
            "waits.py",
            "import subprocess, sys\n"
            f"subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)', {mark!r}])\n",
        )
        number = self.ask(waits, "src/main.py")
        until(lambda: alive(mark))
        self.say(cancel=number)
        self.assertEqual(self.heard(), {"id": number, "done": True})
        self.assertEqual(alive(mark), [])
        self.say(cancel=number)  # too late, and no harm
        self.assertEqual(self.checked("src/main.py")["src/main.py"]["outcome"], "passed")

    def test_requests_take_turns_and_all_are_answered(self) -> None:
        self.serve(parallel=2)
        slow = self.write("slow.py", "import time\ntime.sleep(0.3)\n")
        quick = self.write("quick.py", "")
        numbers = [self.ask(slow, quick), self.ask(quick), self.ask(quick, quick)]
        done, files = set(), 0
        while len(done) < 3:
            answer = self.heard()
            if "done" in answer:
                done.add(answer["id"])
            else:
                files += 1
                self.assertEqual(answer["outcome"], "passed")
        self.assertEqual((sorted(done), files), (numbers, 5))

    def test_it_ends_when_nobody_can_ask_any_more(self) -> None:
        self.serve()
        self.requests.close()
        self.assertEqual(self.server.wait(timeout=60), 0)

    def test_a_request_without_files_is_answered(self) -> None:
        self.serve()
        self.say(id=7, folder=self.workspace.root.name, files=[], timeout=1, memory=1 << 30)
        self.assertEqual(self.heard(), {"id": 7, "done": True})

    def test_its_end_ends_its_children(self) -> None:
        mark = f"ended-with-server-{os.getpid()}"
        self.serve()
        waits = self.write(
            "waits.py",
            "import subprocess, sys\n"
            f"subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)', {mark!r}])\n",
        )
        self.ask(waits)
        until(lambda: alive(mark))
        self.server.terminate()
        self.assertEqual(self.server.wait(timeout=60), 143)
        self.assertEqual(alive(mark), [])
