"""Runs `interlock check --static` over packages that work, and looks for false alarms.

Fetches the wheels named in packages.txt with pip, unpacks each as a workspace of its own, and adds
the standard library of the interpreter that runs this. Findings that somebody has read and found
true stand in explained.txt with the reason; every other one counts as a false alarm, and more than
one in 2,000 files is a failure. Ships none of that code and writes only into its cache.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FILES_PER_ALARM = 2_000
# Of the standard library: what is installed into it, and code that is wrong on purpose.
LEFT_OUT = ("site-packages", "dist-packages", "test", "tests", "__pycache__")


def main() -> int:
    """Prints a table and every unexplained finding; 1 when there are too many of them."""
    asked = _parsed()
    explained = _explained()
    folders = sorted(path for path in _corpus(asked.cache).iterdir() if path.is_dir())
    files, alarms, seen = 0, [], Counter()
    for folder in folders:
        if asked.only and folder.name != asked.only:
            continue
        report = _checked(asked.interlock, folder)
        files += report["files"]
        _say_what_did_not_run(folder.name, report)
        found = [finding for check in report["checks"] for finding in check["findings"]]
        new = []
        for finding in found:
            keys = _keys(folder.name, finding)
            seen.update(keys)
            if explained.isdisjoint(keys):
                new.append(finding)
        print(f"{folder.name}: {report['files']} files, {len(found)} findings, {len(new)} new")
        for finding in new:
            alarms.append(finding)
            place = f"{folder.name}/{finding['file']}:{finding['line']}"
            print(f"  {place}: {finding['rule']}: {finding['message']}")
    gone = sorted(explained - set(seen)) if not asked.only else []
    for key in gone:
        print(f"explained, and not found any more: {' '.join(key)}")
    most = files // FILES_PER_ALARM
    print(f"{files} files: {len(alarms)} unexplained findings; at most {most} are allowed")
    return 1 if len(alarms) > most else 0


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Looks for false alarms in packages that work.")
    parser.add_argument("--cache", type=Path, required=True, help="a folder for the packages")
    parser.add_argument("--interlock", required=True, help="the command to run")
    parser.add_argument("--only", help="one package of the cache")
    return parser.parse_args()


def _corpus(cache: Path) -> Path:
    """The folder with one workspace per package; what is there already is not fetched again."""
    code, wheels = cache / "code", cache / "wheels"
    code.mkdir(parents=True, exist_ok=True)
    lines = (HERE / "packages.txt").read_text().splitlines()
    for line in (line for line in lines if line and not line.startswith("#")):
        name = line.partition("==")[0]
        if (code / name).is_dir():
            continue
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run(
            [*pip, "--only-binary", ":all:", "--dest", str(wheels / name), line], check=True
        )
        (wheel,) = (wheels / name).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(code / f"{name}.part")
        (code / f"{name}.part").rename(code / name)
    if not (code / "stdlib").is_dir():
        library = sysconfig.get_path("stdlib")
        shutil.copytree(library, code / "stdlib", ignore=shutil.ignore_patterns(*LEFT_OUT))
    return code


def _checked(interlock: str, folder: Path) -> dict[str, Any]:
    command = [interlock, "check", str(folder), "--root", ".", "--static", "--json"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    if ended.returncode not in (0, 1):
        raise SystemExit(f"{folder.name} could not be checked: {ended.stderr or ended.stdout}")
    return json.loads(ended.stdout)


def _say_what_did_not_run(name: str, report: dict[str, Any]) -> None:
    for check in report["checks"]:
        if check["answer"] not in ("passed", "failed"):
            raise SystemExit(f"{name}: {check['check']}: {check['answer']}: {check['what']}")


def _keys(package: str, finding: dict[str, Any]) -> set[tuple[str, str, str]]:
    rule = f"{finding['rule']}:{finding['line']}"
    return {(package, finding["file"], rule), (package, "*", rule)}


def _explained() -> set[tuple[str, str, str]]:
    """Lines of explained.txt: package, file or `*`, rule:line, and the reason in the rest."""
    lines = (HERE / "explained.txt").read_text().splitlines()
    words = [line.split(None, 3) for line in lines if line and not line.startswith("#")]
    for line in words:
        if len(line) != 4:
            raise SystemExit(f"explained.txt: a reason is missing: {' '.join(line)}")
    return {(package, file, rule) for package, file, rule, _ in words}


if __name__ == "__main__":
    sys.exit(main())
