"""Lists what is installed in a site-packages folder, as one JSON object.

Run by the base interpreter with -I -S, so that nothing of the folder is executed: it is only read. Called with the
folder as its one argument.
"""

import hashlib
import json
import sys
from importlib.metadata import distributions

SUFFIXES = (".py", ".so", ".pyd")


def module_of(path):
    """The top-level module that an installed file belongs to, or None."""
    first = path.parts[0]
    if len(path.parts) == 1:
        if not first.endswith(SUFFIXES):
            return None
        first = first.split(".", 1)[0]
    return first if first.isidentifier() and first != "__pycache__" else None


def record_digest(lines):
    """Hashes a RECORD without files outside the folder: generated scripts differ from path to path."""
    kept = sorted(line for line in lines if line and not line.startswith(("..", "/")))
    return hashlib.sha256("\n".join(kept).encode()).hexdigest()


packages, modules = [], set()
for found in distributions(path=[sys.argv[1]]):
    record = found.read_text("RECORD")
    if record is None:
        sys.exit(f"{found.metadata['Name']} has no RECORD")
    packages.append(
        {
            "name": found.metadata["Name"],
            "version": found.version,
            "record": record_digest(record.splitlines()),
        }
    )
    modules.update(filter(None, map(module_of, found.files or [])))

print(json.dumps({"packages": packages, "modules": sorted(modules)}))
