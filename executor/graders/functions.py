"""Takes a source file apart: its functions as whole lines, and the code around them, so that each can be compared byte for byte."""

import ast
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ast_grep_py import SgNode, SgRoot

from executor.graders.patterns import language_of
from executor.graders.script_names import FUNCTIONS

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_LONE_RETURN = re.compile(r"\r(?!\n)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Outline:
    """A file: text of each function by its name (``Shop.price``; a second of one name is ``Shop.price#2``), and the text around them.

    A function is its lines from the first decorator, and the comment right above it, to the last; those inside it belong to it.
    ``around`` has no empty lines between statements and no imports. ``imported``: what each name that an import binds stands for.
    ``names``: the names that each function uses, and under an empty name those that the code around them does.
    """

    functions: Mapping[str, str]
    around: str
    imported: Mapping[str, frozenset[str]]
    names: Mapping[str, frozenset[str]]


@dataclass(kw_only=True)
class _Parts:
    """What a parser found, in lines from 1: (name, first, last) of functions, lines of imports alone, of comments alone, of statements.

    ``imported``: (name, what it stands for); ``names``: (name, line) of each use of one.
    """

    functions: list[tuple[str, int, int]] = field(default_factory=list)
    imports: list[tuple[int, int]] = field(default_factory=list)
    comments: set[int] = field(default_factory=set)
    statements: Counter[int] = field(default_factory=Counter)
    imported: set[tuple[str, str]] = field(default_factory=set)
    names: list[tuple[str, int]] = field(default_factory=list)


def read_outline(path: str, text: str) -> Outline | None:
    """Take a file apart; None when its language is not known or it cannot be parsed."""
    for endings, parse in _LANGUAGES:
        if path.endswith(endings):
            try:
                return _outline(text, parse(path, text))
            except (
                SyntaxError,
                ValueError,
                RecursionError,
                MemoryError,
            ):  # the last is how a parser says: nested too deep
                return None
    return None


def _outline(text: str, parts: _Parts) -> Outline:
    lines = _LINE.findall(text)
    taken: set[int] = set()
    owner: dict[int, str] = {}
    functions: dict[str, str] = {}
    times: Counter[str] = Counter()
    for name, first, last in sorted(parts.functions, key=lambda each: each[1:]):
        while first - 1 in parts.comments and first - 1 not in taken:
            first -= 1
        # A line that it shares with other code stands around it too: what is written behind its end is not its own.
        taken.update(line for line in range(first, last + 1) if parts.statements[line] <= 1)
        times[name] += 1
        single = name if times[name] == 1 else f"{name}#{times[name]}"
        functions[single] = "".join(lines[first - 1 : last]).removesuffix("\n")
        owner |= {line: single for line in range(first, last + 1) if parts.statements[line] <= 1}
    importing = {line for first, last in parts.imports for line in range(first, last + 1)}
    for first, last in parts.imports:
        if all(parts.statements[line] == 1 for line in range(first, last + 1)):
            taken.update(range(first, last + 1))
    around = [
        line
        for number, line in enumerate(lines, 1)
        if number not in taken and (line.strip() or parts.statements[number])
    ]
    return Outline(
        functions=functions,
        around="".join(around).rstrip("\n"),
        imported=_gathered(parts.imported),
        names=_gathered((owner.get(line, ""), name) for name, line in parts.names if line not in importing),
    )


def _gathered(pairs: Iterable[tuple[str, str]]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for key, value in pairs:
        found.setdefault(key, set()).add(value)
    return {key: frozenset(values) for key, values in found.items()}


# --- Python ---


def _python(_path: str, text: str) -> _Parts:
    if _LONE_RETURN.search(text):
        raise ValueError("a line that ends in a carriage return alone is a line to Python only")
    parts = _Parts()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a parser thinks of somebody's escapes is no concern of ours
        tree = ast.parse(text)
    _body(tree, "", parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            parts.names.append((node.id, node.lineno))
        elif isinstance(node, ast.ClassDef):
            parts.names.append((node.name, node.lineno))
    for number, line in enumerate(_LINE.findall(text), 1):
        if line.lstrip().startswith("#") and not parts.statements[number]:
            parts.comments.add(number)
    return parts


def _body(node: ast.AST, prefix: str, parts: _Parts) -> None:
    for each in _statements(node):
        last = each.end_lineno or each.lineno
        match each:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                first = min([each.lineno, *(decorator.lineno for decorator in each.decorator_list)])
                parts.functions.append((prefix + each.name, first, last))
                parts.statements.update(range(first, last + 1))
            case ast.ClassDef(name=name):
                _body(each, f"{prefix}{name}.", parts)
            case ast.Import() | ast.ImportFrom():
                source = f"{'.' * each.level}{each.module or ''}:" if isinstance(each, ast.ImportFrom) else ""
                names = {alias.asname or alias.name.split(".")[0]: source + alias.name for alias in each.names}
                parts.statements.update(range(each.lineno, last + 1))
                if "*" not in names:  # what a star binds nobody sees here
                    parts.imports.append((each.lineno, last))
                    parts.imported.update(names.items())
            case ast.If() | ast.For() | ast.AsyncFor() | ast.While() | ast.With() | ast.AsyncWith() | ast.Try():
                _body(each, prefix, parts)
            case ast.Match() | ast.TryStar():
                _body(each, prefix, parts)
            case _:
                parts.statements.update(range(each.lineno, last + 1))


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Give the statements right inside a node; cases and handlers are no statements, what they hold is."""
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.stmt):
            yield each
        elif isinstance(each, ast.excepthandler | ast.match_case):
            yield from _statements(each)


# --- TypeScript and JavaScript ---

_CLASSES = ("class_declaration", "abstract_class_declaration", "class")
_NAMED = (*_CLASSES, "internal_module", "module")
_HOLDERS: Mapping[str, tuple[str, str]] = {
    "variable_declarator": ("name", "value"),
    "public_field_definition": ("name", "value"),
    "field_definition": ("property", "value"),
    "assignment_expression": ("left", "right"),
    "pair": ("key", "value"),
}
"""What gives a nameless function its name: (field of the name, field of the function)."""
_NAMES = ("identifier", "shorthand_property_identifier", "type_identifier")
_WRAPPERS = ("export_statement", "lexical_declaration", "variable_declaration", "expression_statement")


def _script(path: str, text: str) -> _Parts:
    language = "typescript" if path.endswith((".ts", ".mts", ".cts", ".tsx")) else "javascript"
    root = SgRoot(text, language_of(path, language)).root()
    if root.find(kind="ERROR") is not None:
        raise ValueError("not a program")
    parts = _Parts()
    lines = _LINE.findall(text)
    for each in root.find_all(kind="comment"):
        first, last = _span(each)
        if lines[first - 1].lstrip().startswith(("//", "/*")):
            parts.comments.update(range(first, last + 1))
    _nodes(root, "", parts)
    parts.comments -= set(parts.statements)
    for kind in _NAMES:
        parts.names += [(each.text(), _span(each)[0]) for each in root.find_all(kind=kind)]
    return parts


def _nodes(node: SgNode, prefix: str, parts: _Parts) -> None:
    for each in node.children():
        kind = each.kind()
        inner = f"{prefix}{_text(each.field('name'))}." if kind in _NAMED and each.field("name") else prefix
        if kind == "import_statement":
            parts.imports.append(_span(each))
            parts.imported.update(_bound(each))
            _mark(each, parts)
        elif (name := _function(each)) is not None:
            first, last = _span(_whole(each))
            parts.functions.append((prefix + name, first, last))
            parts.statements.update(range(first, last + 1))
        elif kind != "comment" and not any(each.find(kind=inside) for inside in FUNCTIONS):
            if each.is_named():
                _mark(each, parts)
        else:
            _nodes(each, inner, parts)


def _bound(statement: SgNode) -> Iterator[tuple[str, str]]:
    """Give the names that an import of a script binds, and what each stands for."""
    source = _text(statement.field("source"))
    for each in statement.find_all(kind="import_specifier"):
        yield _text(each.field("alias") or each.field("name")), f"{source}:{_text(each.field('name'))}"
    for each in statement.find_all(kind="namespace_import"):
        yield each.children()[-1].text(), f"{source}:*"
    for clause in statement.find_all(kind="import_clause"):
        for each in clause.children():
            if each.kind() == "identifier":
                yield each.text(), f"{source}:default"


def _function(node: SgNode) -> str | None:
    """Give the name of a function that is declared, or bound to a name, by this very node."""
    kind = node.kind()
    if kind in ("function_declaration", "generator_function_declaration", "method_definition"):
        accessor = next((f"{each.kind()} " for each in node.children() if each.kind() in ("get", "set")), "")
        return accessor + (_text(node.field("name")) or "default")
    if kind in _HOLDERS:
        name, value = (node.field(each) for each in _HOLDERS[kind])
        if value is not None and value.kind() in FUNCTIONS:
            return _text(name)
    return None


def _whole(node: SgNode) -> SgNode:
    """Give the statement that does nothing but declare a function: with its ``export``, its ``const``."""
    above = node.parent()
    while above is not None and above.kind() in _WRAPPERS:
        declared = [
            each for each in above.children() if each.is_named() and each.kind() not in ("comment", "decorator")
        ]
        if len(declared) != 1:
            break
        node, above = above, above.parent()
    return node


def _mark(node: SgNode, parts: _Parts) -> None:
    first, last = _span(node)
    parts.statements.update(range(first, last + 1))


def _span(node: SgNode) -> tuple[int, int]:
    place = node.range()
    return place.start.line + 1, place.end.line + 1


def _text(node: SgNode | None) -> str:
    return "" if node is None else node.text()


_Parse = Callable[[str, str], _Parts]
_LANGUAGES: Iterable[tuple[tuple[str, ...], _Parse]] = (
    ((".py", ".pyi"), _python),
    ((".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"), _script),
)
