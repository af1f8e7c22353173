"""Faults in import statements and in what modules are called."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from planting.source import Mutant, Project, Source, bodies


def absolute(source: Source, node: ast.ImportFrom) -> str:
    """The module that `from … import` asks, as an absolute name."""
    if node.level == 0:
        return node.module or ""
    parts = source.module.split(".")
    drop = node.level - (1 if source.path.endswith("/__init__.py") else 0)
    parts = parts[: len(parts) - drop] if drop else parts
    return ".".join([*parts, *([node.module] if node.module else [])])


def _own_imports(project: Project, source: Source) -> Iterator[ast.ImportFrom]:
    modules = project.modules()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom) and absolute(source, node) in modules:
            yield node


def _rewritten(source: Source, node: ast.ImportFrom, module: str) -> tuple[int, int, str]:
    start = source.start(node)
    end = source.data.index(b"import", start + len("from"))
    return start, end, f"from {module} "


def rename_imported(project: Project) -> Iterator[Mutant]:
    """`from x import name`: a name that x does not have."""
    for source in project.sources:
        for node in _own_imports(project, source):
            for alias in node.names:
                if alias.name != "*":
                    start = source.start(alias)
                    end = start + len(alias.name.encode())
                    change = (start, end, f"{alias.name}_x")
                    yield source.mutant("rename-imported", node, alias.name, change)


def make_relative(project: Project) -> Iterator[Mutant]:
    """`from x import y` in a top-level module becomes `from .x import y`."""
    for source in project.sources:
        for node in _own_imports(project, source):
            if (
                node.level == 0
                and "." not in source.module
                and not source.path.endswith("__init__.py")
            ):
                change = _rewritten(source, node, f".{node.module}")
                yield source.mutant("make-relative", node, node.module, change)


def add_src(project: Project) -> Iterator[Mutant]:
    """`from x import y` becomes `from src.x import y`."""
    for source in project.sources:
        for node in _own_imports(project, source):
            if node.level == 0:
                change = _rewritten(source, node, f"{project.root}.{node.module}")
                yield source.mutant("add-src", node, node.module, change)


def missing_module(project: Project) -> Iterator[Mutant]:
    """An import, of the workspace or not, of a module that is not there."""
    for source in project.sources:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module != "__future__":
                change = _rewritten(source, node, "." * node.level + f"{node.module}_x")
                yield source.mutant("missing-module", node, node.module, change)
            elif isinstance(node, ast.Import):
                alias = node.names[0]
                start = source.start(alias)
                shown = f" as {alias.name}" if not alias.asname and "." not in alias.name else ""
                change = (start, start + len(alias.name.encode()), f"{alias.name}_x{shown}")
                yield source.mutant("missing-module", node, alias.name, change)


def drop_import(project: Project) -> Iterator[Mutant]:
    """An import statement is forgotten."""
    for source in project.sources:
        for body in bodies(source.tree):
            for node in body:
                is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
                if isinstance(node, ast.Import | ast.ImportFrom) and not is_future:
                    what = source.text(node).replace("\n", " ")
                    yield source.mutant("drop-import", node, what, source.without(node, body))


def add_cycle(project: Project) -> Iterator[Mutant]:
    """A module that another one imports at its top imports a name of that one at its own top."""
    by_module = {source.module: source for source in project.sources}
    for source in project.sources:
        for node in source.tree.body:
            if not isinstance(node, ast.ImportFrom):
                continue
            other = by_module.get(absolute(source, node))
            name = _last_definition(source)
            if other is None or other is source or name is None:
                continue
            at = _after_imports_begin(other)
            line = f"from {source.module} import {name}\n"
            yield Mutant(
                "add-cycle",
                other.path,
                1,
                source.module,
                {other.path: other.splice((at, at, line))},
            )


def _last_definition(source: Source) -> str | None:
    defined = [n.name for n in source.tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    return defined[-1] if defined else None


def _after_imports_begin(source: Source) -> int:
    """Behind the docstring and imports from the future."""
    for node in source.tree.body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not is_text and not is_future:
            return source.whole_lines(node)[0]
    return len(source.data)


def shadow(project: Project) -> Iterator[Mutant]:
    """A new file at the top has the name of a standard module that the workspace imports."""
    asked: dict[str, tuple[str, int]] = {}
    for source in project.sources:
        for node in ast.walk(source.tree):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names = [node.module]
            for name in names:
                asked.setdefault(name.partition(".")[0], (source.path, node.lineno))
    for name, (_, line) in sorted(asked.items()):
        path = f"{project.root}/{name}.py"
        is_standard = name in sys.stdlib_module_names and name != "__future__"
        if is_standard and name not in sys.builtin_module_names and path not in project.files:
            text = f'"""Our own {name}."""\n\nVERSION = 1\n'
            yield Mutant("shadow", path, line, name, {path: text})


PLANTERS = (
    rename_imported,
    make_relative,
    add_src,
    missing_module,
    drop_import,
    add_cycle,
    shadow,
)
