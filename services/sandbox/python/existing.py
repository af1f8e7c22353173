"""Lists what an interpreter can import where it runs, as one JSON object.

Run with -I inside the sandbox, in an environment that somebody else made: `.pth` files and the like have had their say,
and what they lead to is listed only if it can be seen from here. Reads folders and metadata; imports nothing of them.
"""

import hashlib
import importlib.machinery
import json
import os
import platform
import sys
import sysconfig
from importlib.metadata import distributions

SUFFIXES = tuple(importlib.machinery.all_suffixes())
STANDARD = {os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
STANDARD |= {os.path.join(folder, "lib-dynload") for folder in STANDARD}


def modules_in(folder):
    """The top-level modules that lie in a folder of the search path."""
    for entry in os.scandir(folder):
        name = entry.name
        if entry.is_dir():
            if name.isidentifier() and name != "__pycache__":
                yield name
        elif name.endswith(SUFFIXES):
            stem = name.split(".", 1)[0]
            if stem.isidentifier():
                yield stem


def folders():
    """The folders of the search path that are not the interpreter's own library."""
    for entry in sys.path:
        real = os.path.realpath(entry)
        if entry and os.path.isdir(real) and real not in STANDARD:
            yield real


path = list(dict.fromkeys(folders()))
packages = {}
for found in distributions(path=path):
    name = found.metadata["Name"]
    if name and name not in packages:  # the first one on the path is the one that counts
        listed = found.read_text("RECORD") or found.read_text("METADATA") or found.read_text("PKG-INFO") or ""
        packages[name] = (
            found.version or "",
            hashlib.sha256(listed.encode("utf-8", "replace")).hexdigest(),
        )
modules = {name for folder in path for name in modules_in(folder)}
# Finders that editable installs register know modules that lie in no folder of the path.
for finder in sys.meta_path:
    modules.update(name for name in getattr(finder, "MAPPING", ()) if name.isidentifier())

json.dump(
    {
        "implementation": sys.implementation.name,
        "version": platform.python_version(),
        "platform": sysconfig.get_platform(),
        "cache_tag": sys.implementation.cache_tag,
        "packages": [[name, *rest] for name, rest in sorted(packages.items())],
        "modules": sorted(modules),
        "standard_modules": sorted(set(sys.stdlib_module_names) | set(sys.builtin_module_names)),
    },
    sys.stdout,
)
