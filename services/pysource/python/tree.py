"""Write the interpreter's own syntax tree of one file as JSON.

Reads the file's bytes from standard input. It exists for files that the interpreter accepts and that the parser
of `interlock-pysource` cannot read: the same rules then run on this tree. It judges nothing, and needs nothing
but the standard library of the interpreter that will run the file.

Form: {"schema": 1, "bytes": length, "nodes": [[type, start, end, fields], ...]}. Children stand before their
parents, the module last; a child is named by its index; offsets count bytes of UTF-8 after the byte order mark.
"""

import ast
import codecs
import json
import math
import sys

NODES = (
    ast.mod,
    ast.stmt,
    ast.expr,
    ast.arguments,
    ast.arg,
    ast.keyword,
    ast.alias,
    ast.withitem,
    ast.match_case,
    ast.pattern,
    ast.excepthandler,
    ast.comprehension,
) + ((ast.type_param,) if hasattr(ast, "type_param") else ())


def line_starts(source: bytes) -> list[int]:
    starts = [0]
    for at, byte in enumerate(source):
        if byte == 0x0A or (byte == 0x0D and source[at + 1 : at + 2] != b"\n"):
            starts.append(at + 1)
    return starts


def constant(value: object) -> dict[str, object]:
    if value is None:
        return {"kind": "none"}
    if value is Ellipsis:
        return {"kind": "ellipsis"}
    if isinstance(value, bool):
        return {"kind": "bool", "value": value}
    if isinstance(value, str):
        # A lone surrogate has no UTF-8 form.
        return {"kind": "str", "value": value.encode("utf-8", "replace").decode("utf-8")}
    if isinstance(value, (int, float)):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        return {"kind": "number", "value": number if math.isfinite(number) else None}
    return {"kind": "other"}


def dump(source: bytes) -> dict[str, object]:
    source = source.removeprefix(codecs.BOM_UTF8)
    tree = ast.parse(source)
    starts = line_starts(source)

    # Not recursive: a tree may be deeper than the interpreter's own recursion limit.
    order: list[ast.AST] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(child for child in ast.iter_child_nodes(node) if isinstance(child, NODES))
    order.reverse()
    index = {id(node): at for at, node in enumerate(order)}

    def field(value: object) -> object:
        if isinstance(value, NODES):
            return index[id(value)]
        if isinstance(value, ast.AST):
            return type(value).__name__
        if isinstance(value, list):
            return [field(item) for item in value]
        if value is None or isinstance(value, (str, int)):
            return value
        return None

    def offset(line: int | None, column: int | None) -> int:
        if line is None or column is None or not 0 < line <= len(starts):
            return 0
        return min(starts[line - 1] + max(column, 0), len(source))

    nodes = []
    for node in order:
        start = offset(getattr(node, "lineno", None), getattr(node, "col_offset", None))
        end = offset(getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None))
        if isinstance(node, ast.Constant):
            fields = constant(node.value)
        else:
            fields = {name: field(value) for name, value in ast.iter_fields(node)}
        nodes.append([type(node).__name__, start, end, fields])
    return {"schema": 1, "bytes": len(source), "nodes": nodes}


def main() -> None:
    json.dump(dump(sys.stdin.buffer.read()), sys.stdout, separators=(",", ":"), allow_nan=False)


if __name__ == "__main__":
    main()
