"""Modules that are loaded once for children that are forked later, each of which sees only what it
imports itself.

Between loads everything is hidden: gone from `sys.modules`, and from the packages that hold it as
an attribute. A child that imports a module is shown that module and whatever its import had brought
along, nothing of it executed again. So `import scipy` shows no `scipy.stats` because some other
file needed it: what a fresh interpreter would refuse is refused here as well. Where it cannot be
told what an import had brought along, too little is shown, which costs time and nothing else.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import machinery
from importlib.abc import Loader, MetaPathFinder
from types import ModuleType
from typing import Any

import process_tree

# More than one thread in the parent makes a forked child hang sooner or later.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)
LOADERS = (
    machinery.SourceFileLoader,
    machinery.SourcelessFileLoader,
    machinery.ExtensionFileLoader,
)


class Preloaded(MetaPathFinder, Loader):
    """The hidden modules; as the first finder it shows them again."""

    def __init__(self, at_start: frozenset[str]) -> None:
        """Nothing may be loaded beyond `at_start`: what is, would never be hidden."""
        os.environ.update(ONE_THREAD)
        self._at_start = at_start
        self._modules: dict[str, ModuleType] = {}
        self._specs: dict[str, Any] = {}
        self._holders: dict[
            str, tuple[ModuleType, str]
        ] = {}  # by which package, and under which name
        self._brought: dict[str, dict[str, None]] = {}  # what an import asks for, in order
        self._closures: dict[str, frozenset[str]] = {}
        self._names: set[str] = set()  # top-level names that were found, or looked for
        self._executing: list[str] = []
        sys.meta_path.insert(0, self)

    def load(self, names: Iterable[str]) -> str | None:
        """Imports what is new; the name after which children must not be forked any more.

        A module that cannot be imported is left to the file that needs it.
        """
        for name in names:
            if name not in self._modules:
                with self._recorded(), contextlib.suppress(Exception):
                    importlib.import_module(name)
                self._hide()
                if process_tree.threads() != 1:
                    return name
            for shown in _and_packages(name):
                self._closure(shown)  # here, and not in every child
        return None

    def clashes(self, own: set[str]) -> set[str]:
        """Names of a workspace that packages have loaded, or looked for and not found."""
        return own & self._names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> machinery.ModuleSpec | None:
        """Shows a hidden module with all that its import had brought along."""
        if fullname not in self._modules:
            self._names.add(fullname.partition(".")[0])
            return None
        self._note(fullname)
        # The module itself is left to the import: one that is there already is executed again.
        for name in self._closure(fullname) - sys.modules.keys() - {fullname}:
            module = sys.modules[name] = self._modules[name]
            if name in self._holders:
                holder, last = self._holders[name]
                vars(holder)[last] = module
        is_package = hasattr(self._modules[fullname], "__path__")
        return machinery.ModuleSpec(fullname, self, is_package=is_package)

    def create_module(self, spec: machinery.ModuleSpec) -> ModuleType:
        """The module itself, which was executed when it was loaded."""
        return self._modules[spec.name]

    def exec_module(self, module: ModuleType) -> None:
        """Gives the module back the specification that the import has just replaced."""
        name = getattr(module, "__spec__", None)
        if name is not None and name.name in self._specs:
            module.__spec__ = self._specs[name.name]

    def _hide(self) -> None:
        for name in set(sys.modules) - self._at_start:
            module = sys.modules.pop(name)
            if module is None:
                continue  # an import that is forbidden: it was for the one who did that
            if name not in self._modules:
                self._modules[name] = module
                self._specs[name] = getattr(module, "__spec__", None)
                self._names.add(name.partition(".")[0])
            package, _, last = name.rpartition(".")
            holder = self._modules.get(package) or sys.modules.get(package)
            if holder is not None and getattr(holder, "__dict__", {}).get(last) is module:
                self._holders[name] = (holder, last)
                delattr(holder, last)

    def _closure(self, fullname: str) -> frozenset[str]:
        """The module, its packages, and what the import of each of them asks for."""
        if fullname not in self._closures:
            seen: set[str] = set()
            waiting = [fullname]
            while waiting:
                name = waiting.pop()
                if name in seen or name not in self._modules:
                    continue
                seen.add(name)
                package = name.rpartition(".")[0]
                waiting += [package, *self._brought.get(name, ())]
            self._closures[fullname] = frozenset(seen)
        return self._closures[fullname]

    def _note(self, name: str) -> None:
        if self._executing:
            self._brought.setdefault(self._executing[-1], {})[name] = None

    @contextlib.contextmanager
    def _recorded(self) -> Iterator[None]:
        """Meanwhile it is written down which module's execution asks for which others."""
        ask = builtins.__import__

        def asked(
            name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
        ) -> Any:
            module = ask(name, globals, locals, fromlist, level)
            # Without a list the answer is the outermost package; the name says what was asked for.
            full = getattr(module, "__name__", name) if fromlist or level else name
            self._note(full)
            for part in fromlist or ():
                if isinstance(part, str) and f"{full}.{part}" in sys.modules:
                    self._note(f"{full}.{part}")
            return module

        with contextlib.ExitStack() as changed:
            changed.enter_context(_replaced(builtins, "__import__", asked))
            for loader in LOADERS:
                execute = _within(self, loader.exec_module)
                changed.enter_context(_replaced(loader, "exec_module", execute))
            # Extension modules of the older kind run their code when they are created.
            create = _within(self, machinery.ExtensionFileLoader.create_module)
            changed.enter_context(_replaced(machinery.ExtensionFileLoader, "create_module", create))
            yield


def _and_packages(name: str) -> list[str]:
    """The name, and those of the packages that it lies in."""
    parts = name.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts) + 1)]


def _within(loaded: Preloaded, original: Callable[..., Any]) -> Callable[..., Any]:
    """A loader's method that says which module it executes."""

    def executed(self: Any, module: Any) -> Any:
        name = getattr(module, "__name__", None) or module.name
        loaded._note(name)
        loaded._executing.append(name)
        try:
            return original(self, module)
        finally:
            loaded._executing.pop()

    return executed


@contextlib.contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    own = vars(owner).get(name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if own is None:
            delattr(owner, name)
        else:
            setattr(owner, name, own)
