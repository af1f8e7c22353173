"""One file, its tree, and edits by the positions of the tree. Knows no kind of fault."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Mutant:
    """A workspace with one fault: new texts by path, None for a file that is taken away."""

    kind: str
    path: str
    line: int
    what: str
    edits: dict[str, str | None]

    def compiles(self) -> bool:
        """Whether the interpreter accepts every file that was touched."""
        for path, text in self.edits.items():
            if text is None or not path.endswith(".py"):
                continue
            try:
                compile(text, path, "exec", dont_inherit=True)
            except (SyntaxError, ValueError):
                return False
        return True


@dataclass
class Source:
    """A file below the source root, kept as bytes because positions of `ast` count bytes."""

    path: str
    module: str
    data: bytes
    tree: ast.Module
    starts: list[int] = field(default_factory=list)

    @classmethod
    def read(cls, path: str, module: str, text: str) -> Source:
        data = text.encode()
        starts = [0]
        for line in data.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        return cls(path, module, data, ast.parse(text), starts)

    def start(self, node: ast.AST) -> int:
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.AST) -> int:
        return self.starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.AST) -> str:
        return self.data[self.start(node) : self.end(node)].decode()

    def splice(self, *changes: tuple[int, int, str]) -> str:
        """The text with pieces replaced; the pieces do not overlap."""
        data = self.data
        for start, end, text in sorted(changes, reverse=True):
            data = data[:start] + text.encode() + data[end:]
        return data.decode()

    def mutant(self, kind: str, node: ast.AST, what: str, *changes: tuple[int, int, str]) -> Mutant:
        return Mutant(kind, self.path, node.lineno, what, {self.path: self.splice(*changes)})

    def whole_lines(self, node: ast.AST) -> tuple[int, int]:
        """The lines of a statement, decorators included."""
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        return self.starts[first - 1], min(self.starts[node.end_lineno], len(self.data))

    def without(self, node: ast.stmt, body: list[ast.stmt]) -> tuple[int, int, str]:
        """Takes a statement away; a body that it was alone in gets `pass`."""
        if len(body) == 1:
            first = min([self.start(node), *(self.start(d) - 1 for d in decorators(node))])
            return first, self.end(node), "pass"
        return (*self.whole_lines(node), "")

    def name_of(
        self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    ) -> tuple[int, int]:
        """Where the name stands in `def name` or `class name`."""
        at = self.data.index(node.name.encode(), self.start(node) + len("def"))
        return at, at + len(node.name.encode())


def decorators(node: ast.AST) -> list[ast.expr]:
    """Decorators of a definition; none of anything else."""
    return getattr(node, "decorator_list", [])


def bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every list of statements."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                yield body


@dataclass
class Project:
    """All files of a workspace, and those that faults go into."""

    root: str
    files: dict[str, str]
    sources: list[Source]
    names: Names = None

    @classmethod
    def read(cls, folder: Path, root: str = "src", spared: tuple[str, ...] = ()) -> Project:
        """Reads a folder; `spared` names files below it that stay as they are."""
        files: dict[str, str] = {}
        sources: list[Source] = []
        for file in sorted(folder.rglob("*")):
            path = file.relative_to(folder).as_posix()
            if not file.is_file() or "__pycache__" in path or path.endswith(".pyc"):
                continue
            try:
                files[path] = file.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
            if path.endswith(".py") and path.startswith(f"{root}/") and path not in spared:
                module = path.removeprefix(f"{root}/").removesuffix(".py").replace("/", ".")
                module = module.removesuffix(".__init__")
                sources.append(Source.read(path, module, files[path]))
        project = cls(root, files, sources)
        project.names = Names.of(project)
        return project

    def modules(self) -> set[str]:
        """Names of modules and packages that lie below the source root."""
        modules: set[str] = set()
        for path in self.files:
            if path.endswith(".py") and path.startswith(f"{self.root}/"):
                parts = path.removeprefix(f"{self.root}/").removesuffix(".py").split("/")
                if parts[-1] == "__init__":
                    parts.pop()
                modules.update(".".join(parts[:count]) for count in range(1, len(parts) + 1))
        return modules


@dataclass
class Names:
    """What the workspace defines anywhere, by bare name: where a fault has something to hit."""

    callables: set[str]
    members: set[str]

    @classmethod
    def of(cls, project: Project) -> Names:
        callables: set[str] = set()
        members: set[str] = set()
        for source in project.sources:
            for node in ast.walk(source.tree):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    callables.add(node.name)
                if isinstance(node, ast.ClassDef):
                    members.update(_members(node))
        return cls(callables, members)


def _members(node: ast.ClassDef) -> Iterator[str]:
    for child in ast.walk(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child.name
        elif isinstance(child, ast.AnnAssign) and isinstance(child.target, ast.Name):
            yield child.target.id
        elif isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Store):
            yield child.attr
