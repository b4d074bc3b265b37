"""The names of TypeScript and JavaScript files: what imports, exports and aliases make of a module's member."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from posixpath import join, normpath

from ast_grep_py import SgNode, SgRoot

from executor.graders.patterns import language_of
from executor.graders.sites import Api

_ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
FUNCTIONS = ("function_declaration", "function_expression", "arrow_function", "method_definition", "generator_function")

Target = tuple[str, str]
"""(module, member); the member ``*`` is the module itself."""


@dataclass(kw_only=True, eq=False)
class Script:
    """A file: what its imports and aliases bind at any depth, and what it exports."""

    path: str
    lines: tuple[str, ...]
    root: SgNode
    bound: dict[str, list[Target | SgNode]] = field(default_factory=dict)  # an SgNode: an alias of that expression
    exported: dict[str, list[Target | str]] = field(default_factory=dict)  # a str: a name of this file
    stars: list[str] = field(default_factory=list)


@dataclass(kw_only=True)
class Links:
    """Follows members through files."""

    scripts: Mapping[str, Sequence[Script]]
    _busy: set[tuple[str, str]] = field(default_factory=set)

    def member(self, module: str, name: str) -> frozenset[Target]:
        """Give what a module's export may stand for; itself too."""
        key = (module, name)
        if key in self._busy:
            return frozenset({key})
        self._busy.add(key)
        try:
            found = {key}
            for script in self.scripts.get(module, ()):
                for each in script.exported.get(name, ()):
                    found |= self.name(script, each) if isinstance(each, str) else self.member(*each)
                for star in script.stars:
                    found |= self.member(star, name)
            return frozenset(found)
        finally:
            self._busy.discard(key)

    def name(self, script: Script, name: str) -> frozenset[Target]:
        """Give what a name of a file may stand for."""
        key = (script.path, f" {name}")
        if key in self._busy:
            return frozenset()
        self._busy.add(key)
        try:
            found: set[Target] = {(stem(script.path), name)}  # it may be defined here
            for each in script.bound.get(name, ()):
                if isinstance(each, tuple):
                    found |= {each} if each[1] == "*" else self.member(*each)
                else:
                    found |= self.of(script, each)
            return frozenset(found)
        finally:
            self._busy.discard(key)

    def of(self, script: Script, node: SgNode) -> frozenset[Target]:
        """Give what an expression may stand for: a name, or a member of an imported module."""
        kind = node.kind()
        if kind in ("identifier", "shorthand_property_identifier"):
            return self.name(script, node.text())
        if kind == "member_expression":
            base, name = node.field("object"), node.field("property")
            if base is not None and name is not None and base.kind() == "identifier":
                modules = [each for each in self.name(script, base.text()) if each[1] == "*"]
                return frozenset(target for module, _ in modules for target in self.member(module, name.text()))
        return frozenset()


def read_scripts(files: Mapping[str, str], language: str) -> tuple[dict[str, list[Script]], list[str]]:
    """Read files by their module path, which a.ts and a.js share; what cannot be parsed is told."""
    scripts: dict[str, list[Script]] = {}
    unread = []
    known = {stem(path) for path in files}
    for path, text in files.items():
        root = SgRoot(text, language_of(path, language)).root()
        if root.find(kind="ERROR") is not None:
            unread.append(path)
        script = Script(path=path, lines=tuple(text.split("\n")), root=root)
        _imports(script, known)
        _exports(script, known)
        _aliases(script, known)
        scripts.setdefault(stem(path), []).append(script)
    return scripts, unread


def stem(path: str) -> str:
    """Give the module path of a file: without its ending."""
    return str(PurePosixPath(path).with_suffix("")) if path.endswith(_ENDINGS) else path


def wanted(apis: tuple[Api, ...]) -> frozenset[Target]:
    """Give APIs as targets."""
    return frozenset((stem(each.module), each.name) for each in apis)


def _module(path: str, said: str, known: set[str]) -> str:
    """Find the module that a specifier names, as bundlers do: a file without its ending, or a folder's index."""
    if not said.startswith("."):
        return said
    there = stem(normpath(join(str(PurePosixPath(path).parent), said)))
    return there if there in known or f"{there}/index" not in known else f"{there}/index"


def text_of(node: SgNode | None) -> str | None:
    """Give the content of a string literal, or None for anything else."""
    if node is None or node.kind() != "string":
        return None
    return node.text()[1:-1]


def _imports(script: Script, known: set[str]) -> None:
    for statement in script.root.find_all(kind="import_statement"):
        source = text_of(statement.field("source"))
        if source is None:
            continue
        module = _module(script.path, source, known)
        for each in statement.find_all(kind="import_specifier"):
            name, alias = each.field("name"), each.field("alias")
            if name is not None:
                script.bound.setdefault((alias or name).text(), []).append((module, name.text()))
        for each in statement.find_all(kind="namespace_import"):
            script.bound.setdefault(each.children()[-1].text(), []).append((module, "*"))
        for clause in statement.find_all(kind="import_clause"):
            for each in clause.children():
                if each.kind() == "identifier":
                    script.bound.setdefault(each.text(), []).append((module, "default"))


def _exports(script: Script, known: set[str]) -> None:
    for statement in script.root.find_all(kind="export_statement"):
        source = text_of(statement.field("source"))
        module = None if source is None else _module(script.path, source, known)
        clauses = statement.find_all(kind="export_specifier")
        for each in clauses:
            name, alias = each.field("name"), each.field("alias")
            if name is not None:
                target: Target | str = name.text() if module is None else (module, name.text())
                script.exported.setdefault((alias or name).text(), []).append(target)
        if module is not None and not clauses:
            space = statement.find(kind="namespace_export")
            if space is None:
                script.stars.append(module)
            else:
                script.exported.setdefault(space.children()[-1].text(), []).append((module, "*"))
        value = statement.field("value")
        if value is not None and value.kind() == "identifier":
            script.exported.setdefault("default", []).append(value.text())
        for declared in statement.find_all(kind="variable_declarator"):
            name = declared.field("name")
            if name is not None and name.kind() == "identifier":
                script.exported.setdefault(name.text(), []).append(name.text())


def _aliases(script: Script, known: set[str]) -> None:
    """Bind ``const o = old``, ``const { old: o } = space`` and what ``require`` and ``import()`` give."""
    for declared in script.root.find_all(kind="variable_declarator"):
        name, value = declared.field("name"), declared.field("value")
        if name is None or value is None:
            continue
        module = _required(script, value, known)
        if name.kind() == "identifier":
            if module is not None:
                script.bound.setdefault(name.text(), []).append((module, "*"))
            elif value.kind() in ("identifier", "member_expression"):
                script.bound.setdefault(name.text(), []).append(value)
        elif name.kind() == "object_pattern":
            spaces = [module] if module is not None else _spaces(script, value)
            for member, local in _taken(name):
                script.bound.setdefault(local, []).extend((space, member) for space in spaces)


def _spaces(script: Script, value: SgNode) -> list[str]:
    bound = script.bound.get(value.text(), []) if value.kind() == "identifier" else []
    return [each[0] for each in bound if isinstance(each, tuple) and each[1] == "*"]


def _taken(pattern: SgNode) -> list[tuple[str, str]]:
    """Give (member, local name) of a destructuring pattern."""
    taken = []
    for each in pattern.children():
        if each.kind() == "shorthand_property_identifier_pattern":
            taken.append((each.text(), each.text()))
        elif each.kind() == "pair_pattern":
            key, value = each.field("key"), each.field("value")
            if key is not None and value is not None:
                taken.append((key.text(), value.text()))
    return taken


def _required(script: Script, value: SgNode, known: set[str]) -> str | None:
    inner = value.children()[-1] if value.kind() == "await_expression" else value
    function, arguments = inner.field("function"), inner.field("arguments")
    if inner.kind() != "call_expression" or function is None or arguments is None:
        return None
    if function.text() not in ("require", "import"):
        return None
    said = text_of(next((each for each in arguments.children() if each.kind() == "string"), None))
    return None if said is None else _module(script.path, said, known)
