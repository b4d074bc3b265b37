"""Finds the call sites of an API in Python files: imports, re-exports and aliases are followed, comments and texts are no calls."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from executor.graders.patterns import pattern_sites
from executor.graders.python_names import read_module
from executor.graders.python_scopes import Binding, Defined, Given, Imported, Module, Scope, Used
from executor.graders.sites import Api, Asked, Files, Form, Site, Survey, survey_of

_RUNS_TEXT = frozenset({"eval", "exec"})
_IMPORTS = frozenset({"import_module", "__import__"})
_NAMESPACES = frozenset({"globals", "locals", "vars"})

Stands = Callable[[ast.expr, Scope], bool]
"""Says whether an expression may stand for one of the APIs."""


def survey_python(files: Files, asked: Asked) -> Survey:
    """Search files as a whole: a name is followed through all of them. Nothing is imported or run."""
    modules: dict[str, list[Module]] = {}  # src/a.py and a.py have one name, and either may be meant
    unread = []
    for path, text in files.items():
        try:
            module = read_module(path, text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last is how a parser says: nested too deep
            unread.append(path)
            continue
        modules.setdefault(module.name, []).append(module)
    names, found = Names(modules=modules), list[Site]()
    for module in (each for same in modules.values() for each in same):
        try:
            found += _search(module, names, asked)
        except RecursionError:  # names that stand for names, longer than anybody writes
            unread.append(module.path)
    found += pattern_sites(files, "python", asked.patterns)
    spans = _definitions(modules, (*asked.apis, *asked.within))
    return survey_of((each for each in found if each.form == "dynamic" or not _inside(each, spans)), unread)


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """What a name stands for: a member of a module under the name that it was defined with, or (no ``name``) a module."""

    module: str
    name: str | None = None


@dataclass(kw_only=True)
class Names:
    """Follows names through the files of a tree. A name that may stand for several things stands for all of them."""

    modules: Mapping[str, Sequence[Module]]
    _busy: set[tuple[str, ...]] = field(default_factory=set)
    _homes: dict[int, str] = field(init=False)

    def __post_init__(self) -> None:
        self._homes = {id(each.scope): each.name for same in self.modules.values() for each in same}

    def of(self, node: ast.expr, scope: Scope) -> frozenset[Member]:
        """Give what an expression may stand for."""
        match node:
            case ast.Name(id=name):
                found = scope.lookup(name)
                if found is None:
                    return self._stars(scope, name)
                where, bindings = found
                bound = self._bound(where, name, bindings)
                if where.kind == "class" and where.parent is not None:
                    return bound | self.of(
                        node, where.parent
                    )  # until a class body binds a name, it reads the one outside
                return bound
            case ast.Attribute(value=value, attr=attr):
                return frozenset(
                    member
                    for base in self.of(value, scope)
                    if base.name is None
                    for member in self.member(base.module, attr)
                )
            case ast.IfExp(body=body, orelse=orelse):
                return self.of(body, scope) | self.of(orelse, scope)
            case ast.BoolOp(values=values):
                return frozenset(member for each in values for member in self.of(each, scope))
            case ast.NamedExpr(value=value):
                return self.of(value, scope)
            case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]) if _called(func) in _IMPORTS:
                return frozenset({Member(module=name)})
        return frozenset()

    def member(self, module: str, name: str) -> frozenset[Member]:
        """Give what a member of a module may stand for; one that no file binds stands for itself."""
        key = (module, name)
        if key in self._busy:
            return frozenset()
        self._busy.add(key)
        try:
            found: frozenset[Member] = frozenset({Member(module=module, name=name)})
            for read in self.modules.get(module, ()):
                found |= self._bound(read.scope, name, read.scope.bindings.get(name, []))
                found |= self._stars(read.scope, name)
            inner = f"{module}.{name}"
            if any(each == inner or each.startswith(f"{inner}.") for each in self.modules):
                found |= {Member(module=inner)}
            return found
        finally:
            self._busy.discard(key)

    def _bound(self, scope: Scope, name: str, bindings: list[Binding]) -> frozenset[Member]:
        key = (str(id(scope)), name, "binding")
        if key in self._busy:
            return frozenset()
        self._busy.add(key)
        try:
            return frozenset(member for each in bindings for member in self._binding(scope, name, each))
        finally:
            self._busy.discard(key)

    def _binding(self, scope: Scope, name: str, binding: Binding) -> frozenset[Member]:
        match binding:
            case Imported(module=module, name=None):
                return frozenset({Member(module=module)})
            case Imported(module=module, name=str(member)):
                return self.member(module, member)
            case Given(value=value, scope=where):
                return self.of(value, where)
            case Defined() if scope.kind == "module":
                return frozenset({Member(module=self._homes[id(scope)], name=name)})
        return frozenset()

    def _stars(self, scope: Scope, name: str) -> frozenset[Member]:
        here: Scope | None = scope
        found: frozenset[Member] = frozenset()
        while here is not None:
            found |= frozenset(member for module in here.stars for member in self.member(module, name))
            here = here.parent
        return found


def _search(module: Module, names: Names, asked: Asked) -> Iterator[Site]:
    wanted = frozenset(Member(module=each.module, name=each.name) for each in asked.apis)

    def stands(node: ast.expr, scope: Scope) -> bool:
        return bool(wanted & names.of(node, scope))

    for used in module.uses:
        if _may(used.node) and stands(used.node, used.scope):
            form = _form(used, module)
            if form is not None:
                yield _site(module, used.node, form, dead=used.dead)
    yield from _reexports(module, stands)
    yield from _dynamic(module, names, asked.apis)


def _may(node: ast.expr) -> bool:
    """Leave out quickly what cannot lead to a module's member: an attribute of a call or of a literal."""
    inner = node
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    return isinstance(inner, ast.Name | ast.Call | ast.NamedExpr | ast.IfExp)


def _form(used: Used, module: Module) -> Form | None:
    if used.use != "alias":
        return used.use
    # At the top of a module an alias is a name that others can import; inside a function only its calls count.
    return "re-export" if used.scope is module.scope else None


def _reexports(module: Module, stands: Stands) -> Iterator[Site]:
    """Give the names by which a module hands the API on: imports in a package's ``__init__``, ``import x as x``, ``__all__``."""
    handed = {str(each.value) for each in module.listed}
    for alias, scope in module.imports:
        name = alias.asname or alias.name
        public = module.is_package or alias.asname == alias.name or name in handed
        if scope is module.scope and public and stands(ast.Name(id=name, ctx=ast.Load()), scope):
            yield _site(module, alias, "re-export")


def _dynamic(module: Module, names: Names, apis: tuple[Api, ...]) -> Iterator[Site]:
    """Give what calls by a name that only a run knows, as far as it may reach one of the APIs."""
    if not apis:
        return
    spoken = {each.name for each in apis} | {f"{each.module}{mark}{each.name}" for each in apis for mark in ".:"}
    for text in module.texts:
        if text.value in spoken:
            yield _site(module, text, "dynamic")
    word = re.compile(r"\b(?:" + "|".join(re.escape(each.name) for each in apis) + r")\b")
    for call, scope in module.calls:
        if _is_dynamic(call, scope, names, word):
            yield _site(module, call, "dynamic")
    for subscript, _ in module.subscripts:
        value = subscript.value
        space = (isinstance(value, ast.Call) and _called(value.func) in _NAMESPACES) or (
            isinstance(value, ast.Attribute) and value.attr == "__dict__"
        )
        if space and not isinstance(subscript.slice, ast.Constant):
            yield _site(module, subscript, "dynamic")


def _is_dynamic(call: ast.Call, scope: Scope, names: Names, word: re.Pattern[str]) -> bool:
    called, arguments = _called(call.func), call.args
    if called in _RUNS_TEXT and isinstance(call.func, ast.Name) and arguments:
        text = arguments[0]
        return not isinstance(text, ast.Constant) or bool(word.search(str(text.value)))
    if called in _IMPORTS and arguments:
        return not isinstance(arguments[0], ast.Constant)
    if called in ("attrgetter", "methodcaller") and arguments:
        return not isinstance(arguments[0], ast.Constant)
    if called == "getattr" and len(arguments) > 1:
        computed = not isinstance(arguments[1], ast.Constant)
        return computed and any(each.name is None for each in names.of(arguments[0], scope))
    return False


def _called(func: ast.expr) -> str:
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


def _definitions(modules: Mapping[str, Sequence[Module]], apis: tuple[Api, ...]) -> list[tuple[str, int, int]]:
    """Give the lines of the APIs' own definitions."""
    return [
        (module.path, *binding.lines)
        for api in apis
        for module in modules.get(api.module, ())
        for binding in module.scope.bindings.get(api.name, [])
        if isinstance(binding, Defined)
    ]


def _inside(site: Site, spans: list[tuple[str, int, int]]) -> bool:
    return any(path == site.path and first <= site.line <= last for path, first, last in spans)


def _site(module: Module, node: ast.expr | ast.alias, form: Form, *, dead: bool = False) -> Site:
    line = module.lines[node.lineno - 1]
    column = len(line.encode()[: node.col_offset].decode("utf-8", "replace")) + 1
    return Site(path=module.path, line=node.lineno, column=column, form=form, text=line.strip()[:200], dead=dead)
