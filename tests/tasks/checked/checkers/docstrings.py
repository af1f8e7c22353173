"""A custom checker: every public function says in a docstring what it is for."""

import ast
import json
import os
import sys

asked = json.load(sys.stdin)
findings = []
for file in asked["files"]:
    if file["owner"] != "model" or not file["path"].endswith(".py"):
        continue
    with open(os.path.join(asked["workspace"], file["path"]), encoding="utf-8") as source:
        tree = ast.parse(source.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is None:
            message = f"{node.name} has no docstring; say in one line what it is for"
            findings.append(
                {
                    "file": file["path"],
                    "line": node.lineno,
                    "column": node.col_offset + 1,
                    "message": message,
                }
            )
json.dump({"version": 1, "findings": findings}, sys.stdout)
