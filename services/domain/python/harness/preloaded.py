"""Imports packages once, for children that are forked later, and says when that must not be used.

A child of this process must see what a fresh interpreter would see. So nothing is served where a
package left a thread (forked children hang sooner or later), and no workspace whose own files bear
a name that a package has loaded, or looked for and not found. Must not compute anything.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Iterable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

import process_tree

# More than one thread in the parent makes a forked child hang sooner or later.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)


class Preloaded:
    """Packages that are loaded, and the names that came up meanwhile."""

    def __init__(self, names: Iterable[str]) -> None:
        """Imports `names`; a package that cannot be imported is left to the file that needs it."""
        os.environ.update(ONE_THREAD)
        before = _top_levels()
        missed = _Missed()
        sys.meta_path.append(missed)
        try:
            for name in names:
                with contextlib.suppress(Exception):
                    importlib.import_module(name)
        finally:
            sys.meta_path.remove(missed)
        self._names = (_top_levels() - before) | missed.names
        self.threads = process_tree.threads()

    def obstacle(self) -> str | None:
        """Why no child must be forked from this process; None when it may serve."""
        if self.threads == 0:
            return "threads cannot be counted: /proc is hidden"
        return None if self.threads == 1 else f"the packages left {self.threads - 1} threads"

    def hidden(self, own: set[str]) -> set[str]:
        """Names of a workspace that packages have loaded or looked for."""
        return own & self._names


class _Missed(MetaPathFinder):
    """Asked last: what comes here was found by nobody."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        self.names.add(fullname.partition(".")[0])
        return None


def _top_levels() -> set[str]:
    return {name.partition(".")[0] for name in sys.modules}
