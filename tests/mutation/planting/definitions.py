"""Faults where something is defined: functions, classes, fields, parameters, whole files."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from planting.source import Mutant, Project, Source, decorators

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
HOLLOW = ("pass", "...", "raise NotImplementedError")


def rename_export(project: Project) -> Iterator[Mutant]:
    """A function, class or constant at the top of a file gets another name; its uses do not."""
    for source in project.sources:
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                start, end = source.name_of(node)
                yield source.mutant(
                    "rename-export", node, node.name, (start, end, f"{node.name}_x")
                )
                continue
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.AnnAssign):
                targets = [node.target]
            for target in targets:
                if isinstance(target, ast.Name) and not target.id.startswith("__"):
                    end = source.end(target)
                    yield source.mutant("rename-export", node, target.id, (end, end, "_x"))


def delete_function(project: Project) -> Iterator[Mutant]:
    """A function at the top of a file, or a method, is gone."""
    for source in project.sources:
        for owner in (source.tree, *_classes(source)):
            for node in owner.body:
                if isinstance(node, FUNCTIONS):
                    change = source.without(node, owner.body)
                    yield source.mutant("delete-function", node, node.name, change)


def rename_method(project: Project) -> Iterator[Mutant]:
    """A method gets another name where it is defined."""
    for source in project.sources:
        for owner in _classes(source):
            for node in owner.body:
                if isinstance(node, FUNCTIONS) and not node.name.startswith("__"):
                    start, end = source.name_of(node)
                    what = f"{owner.name}.{node.name}"
                    yield source.mutant("rename-method", node, what, (start, end, f"{node.name}_x"))


def _classes(source: Source) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef))


def _dataclasses(source: Source) -> Iterator[ast.ClassDef]:
    for node in _classes(source):
        if any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list):
            yield node


def delete_field(project: Project) -> Iterator[Mutant]:
    """A field of a dataclass is gone."""
    for source in project.sources:
        for owner in _dataclasses(source):
            for node in owner.body:
                if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                    what = f"{owner.name}.{node.target.id}"
                    change = source.without(node, owner.body)
                    yield source.mutant("delete-field", node, what, change)


def keyword_only(project: Project) -> Iterator[Mutant]:
    """The fields of a dataclass can no longer be given by position."""
    for source in project.sources:
        for owner in _dataclasses(source):
            for decorator in owner.decorator_list:
                text = source.text(decorator)
                if not text.endswith(("dataclass", ")")) or "kw_only" in text:
                    continue
                end = source.end(decorator)
                change = (end, end, "(kw_only=True)")
                if text.endswith(")"):
                    change = (end - 1, end, ", kw_only=True)")
                yield source.mutant("keyword-only-fields", owner, owner.name, change)


def hollow_body(project: Project) -> Iterator[Mutant]:
    """A body is replaced by nothing, in the three ways in which models do it."""
    for source in project.sources:
        for node in ast.walk(source.tree):
            if not isinstance(node, FUNCTIONS) or node.body[0].lineno == node.lineno:
                continue
            if ast.unparse(node.body[-1]) in HOLLOW:
                continue
            start = min(
                source.start(node.body[0]), *map(source.start, decorators(node.body[0])), 1 << 60
            )
            if decorators(node.body[0]):
                start -= 1
            for text in HOLLOW:
                change = (start, source.end(node.body[-1]), text)
                yield source.mutant("hollow-body", node, f"{node.name}: {text}", change)


def _parameters(source: Source) -> Iterator[tuple[ast.FunctionDef, bool]]:
    for owner in (source.tree, *_classes(source)):
        for node in owner.body:
            is_dunder = node.name.startswith("__") if isinstance(node, FUNCTIONS) else True
            if isinstance(node, FUNCTIONS) and (not is_dunder or node.name == "__init__"):
                yield node, isinstance(owner, ast.ClassDef)


def add_parameter(project: Project) -> Iterator[Mutant]:
    """A definition asks for one more argument, and its callers do not know."""
    for source in project.sources:
        for node, is_method in _parameters(source):
            args = node.args
            if not args.args or (is_method and len(args.args) == 1 and args.defaults):
                continue
            before = len(args.args) - len(args.defaults)
            if before <= 0:
                continue
            last = args.args[before - 1]
            at = source.end(last)
            yield source.mutant("add-parameter", node, node.name, (at, at, ", extra_x"))


def rename_parameter(project: Project) -> Iterator[Mutant]:
    """A parameter gets another name, in the definition and its body only."""
    for source in project.sources:
        for node, is_method in _parameters(source):
            named = [*node.args.args[1 if is_method else 0 :], *node.args.kwonlyargs]
            for parameter in named:
                start = source.start(parameter)
                changes = [(start, start + len(parameter.arg.encode()), f"{parameter.arg}_x")]
                for used in ast.walk(node):
                    if isinstance(used, ast.Name) and used.id == parameter.arg:
                        changes.append((source.start(used), source.end(used), f"{parameter.arg}_x"))
                what = f"{node.name}({parameter.arg})"
                yield source.mutant("rename-parameter", node, what, *changes)


def empty_file(project: Project) -> Iterator[Mutant]:
    """A file is there, and empty."""
    for source in project.sources:
        if source.data.strip():
            yield Mutant("empty-file", source.path, 1, source.module, {source.path: ""})


def delete_file(project: Project) -> Iterator[Mutant]:
    """A file is not there."""
    for source in project.sources:
        if source.path != f"{project.root}/main.py":  # the plan names the entry point
            yield Mutant("delete-file", source.path, 1, source.module, {source.path: None})


def cut_file(project: Project) -> Iterator[Mutant]:
    """A file ends too soon: behind a line, and in the middle of one."""
    for source in project.sources:
        count = len(source.starts) - 2
        for share in (1, 2, 3):
            line = count * share // 4
            if line < 1:
                continue
            at = source.starts[line]
            half = (at + source.starts[line + 1]) // 2
            for end in {at, half}:
                text = source.data[:end].decode(errors="ignore")
                if text != source.data.decode():
                    yield Mutant(
                        "cut-file", source.path, line, f"at {share}/4", {source.path: text}
                    )


def syntax_error(project: Project) -> Iterator[Mutant]:
    """The colon of a definition is forgotten."""
    for source in project.sources:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                at = source.data.rindex(b":", source.start(node), source.start(node.body[0]))
                yield source.mutant("syntax-error", node, node.name, (at, at + 1, ""))


PLANTERS = (
    rename_export,
    delete_function,
    rename_method,
    delete_field,
    keyword_only,
    hollow_body,
    add_parameter,
    rename_parameter,
    empty_file,
    delete_file,
    cut_file,
    syntax_error,
)
