"""Faults where something is used: arguments, keywords, attributes, names."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from planting.source import Mutant, Project, Source


def _calls(project: Project, source: Source) -> Iterator[tuple[ast.Call, str]]:
    """Calls of what the workspace defines, by bare name."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in project.names.callables:
                yield node, name


def _arguments(source: Source, call: ast.Call) -> list[tuple[int, int]]:
    parts = [*call.args, *(keyword for keyword in call.keywords)]
    return sorted((source.start(part), source.end(part)) for part in parts)


def drop_argument(project: Project) -> Iterator[Mutant]:
    """The last positional argument, or any keyword argument, is left out."""
    for source in project.sources:
        for call, name in _calls(project, source):
            parts = _arguments(source, call)
            dropped: list[ast.AST] = [k for k in call.keywords if k.arg]
            if call.args and not any(isinstance(a, ast.Starred) for a in call.args):
                dropped.append(call.args[-1])
            for part in dropped:
                at = parts.index((source.start(part), source.end(part)))
                if at + 1 < len(parts):
                    change = (parts[at][0], parts[at + 1][0], "")
                elif at > 0:
                    change = (parts[at - 1][1], parts[at][1], "")
                else:
                    change = (*parts[at], "")
                yield source.mutant("drop-argument", call, name, change)


def extra_argument(project: Project) -> Iterator[Mutant]:
    """One positional argument too many."""
    for source in project.sources:
        for call, name in _calls(project, source):
            if any(isinstance(a, ast.GeneratorExp) for a in call.args):
                continue
            if call.args:
                at = source.end(call.args[-1])
                change = (at, at, ", None")
            else:
                at = source.data.index(b"(", source.end(call.func)) + 1
                change = (at, at, "None, " if call.keywords else "None")
            yield source.mutant("extra-argument", call, name, change)


def misspell_keyword(project: Project) -> Iterator[Mutant]:
    """A keyword argument under a wrong name."""
    for source in project.sources:
        for call, name in _calls(project, source):
            for keyword in call.keywords:
                if keyword.arg:
                    start = source.start(keyword)
                    change = (start, start + len(keyword.arg.encode()), f"{keyword.arg}_x")
                    what = f"{name}({keyword.arg}=)"
                    yield source.mutant("misspell-keyword", call, what, change)


def unknown_keyword(project: Project) -> Iterator[Mutant]:
    """A keyword argument that nobody asked for."""
    for source in project.sources:
        for call, name in _calls(project, source):
            parts = _arguments(source, call)
            if any(isinstance(a, ast.GeneratorExp) for a in call.args):
                continue
            if parts:
                change = (parts[-1][1], parts[-1][1], ", verbose_x=True")
            else:
                at = source.data.index(b"(", source.end(call.func)) + 1
                change = (at, at, "verbose_x=True")
            yield source.mutant("unknown-keyword", call, name, change)


def misspell_attribute(project: Project) -> Iterator[Mutant]:
    """A member of a class of the workspace under a wrong name."""
    for source in project.sources:
        for node in ast.walk(source.tree):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Load)
                and node.attr in project.names.members
                and not node.attr.startswith("__")
            ):
                end = source.end(node)
                change = (end, end, "_x")
                yield source.mutant("misspell-attribute", node, node.attr, change)


def misspell_name(project: Project) -> Iterator[Mutant]:
    """A variable, function or class under a name that nothing binds."""
    for source in project.sources:
        for node in ast.walk(source.tree):
            is_read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            if is_read and not hasattr(builtins, node.id):
                end = source.end(node)
                yield source.mutant("misspell-name", node, node.id, (end, end, "_x"))


def module_name_error(project: Project) -> Iterator[Mutant]:
    """A statement at the top asks a name that does not exist."""
    for source in project.sources:
        if not source.tree.body:
            continue
        last = source.tree.body[-1]
        at = len(source.data)
        line = "\nREADY_X = settings_x\n"
        yield source.mutant("module-name-error", last, source.module, (at, at, line))


PLANTERS = (
    drop_argument,
    extra_argument,
    misspell_keyword,
    unknown_keyword,
    misspell_attribute,
    misspell_name,
    module_name_error,
)
