"""The names that a change introduces: what a prompt must not give away."""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

_DECLARED = re.compile(
    r"\b(?:function\*?|class|interface|type|enum|struct|trait|def|fn|func|fun|const|let|var|module|namespace)\s+"
    r"([A-Za-z_$][\w$]*)"
)


_PROSE = frozenset(
    (
        ".md",
        ".rst",
        ".txt",
        ".json",
        ".jsonl",
        ".yaml",
        ".yml",
        ".toml",
        ".cfg",
        ".ini",
        ".lock",
        ".csv",
        ".html",
        ".css",
        ".svg",
    )
)


def introduced(files: Iterable[tuple[str, bytes | None, bytes | None]]) -> tuple[str, ...]:
    """Give the names that a change to (path, before, after) declares and that none of these files declared before.

    Python is parsed (functions, classes, assigned names of modules and classes, and parameters with an underscore: a
    one-word parameter would forbid an everyday word); other languages are scanned for declarations; prose and data declare nothing.
    """
    old: set[str] = set()
    new: set[str] = set()
    for path, before, after in files:
        old |= _names(path, before)
        new |= _names(path, after)
    return tuple(sorted(new - old))


def _names(path: str, data: bytes | None) -> frozenset[str]:
    if data is None or PurePosixPath(path).suffix in _PROSE:
        return frozenset()
    text = data.decode("utf-8", "replace")
    if path.endswith((".py", ".pyi")):
        try:
            with warnings.catch_warnings(action="ignore"):  # an invalid escape in old code is its own business
                return frozenset(_python(ast.parse(text)))
        except (SyntaxError, ValueError, RecursionError):
            pass  # Python of another age is scanned like any other language
    return frozenset(_DECLARED.findall(text))


def _python(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            yield from (argument.arg for argument in every if "_" in argument.arg.strip("_"))
        if isinstance(node, ast.Module | ast.ClassDef):
            yield from (name for statement in node.body for name in _assigned(statement))


def _assigned(statement: ast.stmt) -> Iterator[str]:
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    for target in targets:
        yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
