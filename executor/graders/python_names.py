"""Reads one Python file: what each scope binds, and every expression that uses a name, without running anything."""

import ast
import warnings
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Literal

from executor.graders.python_scopes import Defined, Given, Imported, Module, Scope, Use, Used, module_name

_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def read_module(path: str, text: str) -> Module:
    """Read one file. Raises SyntaxError (or ValueError for a null byte) when it is no Python that this interpreter reads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a parser thinks of somebody's escapes is no concern of ours
        tree = ast.parse(text)
    module = Module(
        path=path,
        name=module_name(path),
        is_package=PurePosixPath(path).name == "__init__.py",
        lines=tuple(text.split("\n")),
    )
    _Reader(module).block(tree.body)
    return module


class _Reader(ast.NodeVisitor):
    """Walks a file once: binds names in their scopes, and collects uses with the scope that they stand in."""

    def __init__(self, module: Module) -> None:
        self.module, self.scope = module, module.scope
        self.use: dict[int, Use] = {}
        self.dead = False

    # --- what runs, and what cannot ---

    def block(self, body: Iterable[ast.stmt], *, dead: bool = False) -> None:
        """Walk statements in order; behind one that always leaves, nothing runs."""
        before = self.dead
        self.dead = before or dead
        for each in body:
            self.visit(each)
            self.dead = self.dead or isinstance(each, _ENDS)
        self.dead = before

    def generic_visit(self, node: ast.AST) -> None:
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                self.block(value)
            elif isinstance(value, list):
                for each in value:
                    if isinstance(each, ast.AST):
                        self.visit(each)
            elif isinstance(value, ast.AST):
                self.visit(value)

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        self.block(node.body, dead=_never(node.test))
        self.block(node.orelse, dead=isinstance(node.test, ast.Constant) and bool(node.test.value))

    def visit_While(self, node: ast.While) -> None:
        self.visit(node.test)
        self.block(node.body, dead=_never(node.test))
        self.block(node.orelse)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring is no text that anything reads
            self.visit(node.value)

    # --- scopes ---

    def _inside(self, kind: Literal["class", "function"]) -> Scope:
        return Scope(kind=kind, parent=self.scope)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        arguments = node.args
        for default in (*arguments.defaults, *(each for each in arguments.kw_defaults if each is not None)):
            self.visit(default)
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
        for argument in every:
            if argument.annotation is not None:
                self.visit(argument.annotation)
        before = self.scope
        self.scope = self._inside("function")
        for argument in every:
            self.scope.bind(argument.arg, None)
        if isinstance(node, ast.Lambda):
            self.visit(node.body)
        else:
            self.block(node.body)
        self.scope = before

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        for decorator in node.decorator_list:
            self.use[id(decorator.func if isinstance(decorator, ast.Call) else decorator)] = "decorator"
            self.visit(decorator)
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        self.scope.bind(node.name, Defined(lines=(first, node.end_lineno or node.lineno)))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._definition(node)
        if node.returns is not None:
            self.visit(node.returns)
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._definition(node)
        if node.returns is not None:
            self.visit(node.returns)
        self._function(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._definition(node)
        for each in (*node.bases, *node.keywords):
            self.visit(each)
        before, self.scope = self.scope, self._inside("class")
        self.block(node.body)
        self.scope = before

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        before, self.scope = self.scope, self._inside("function")
        for generator in node.generators:
            self.visit(generator)
        for each in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.visit(each)
        self.scope = before

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _comprehension  # noqa: N815  # ast's names

    def visit_Global(self, node: ast.Global) -> None:
        self.scope.outer |= dict.fromkeys(node.names, self.module.scope)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        for name in node.names:
            found = self.scope.parent and self.scope.parent.lookup(name)
            if found:
                self.scope.outer[name] = found[0]

    # --- bindings ---

    def visit_Import(self, node: ast.Import) -> None:
        for each in node.names:
            bound = each.asname or each.name.split(".")[0]
            self.scope.bind(bound, Imported(module=each.name if each.asname else bound))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = self._absolute(node)
        for each in node.names:
            if each.name == "*":
                self.scope.stars.append(module)
                continue
            self.scope.bind(each.asname or each.name, Imported(module=module, name=each.name))
            self.module.imports.append((each, self.scope))

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        package = self.module.name.split(".") if self.module.name else []
        up = node.level - 1 if self.module.is_package else node.level
        return ".".join([*package[: len(package) - up], *((node.module or "").split(".") if node.module else [])])

    def visit_Assign(self, node: ast.Assign) -> None:
        names = [each.id for each in node.targets if isinstance(each, ast.Name)]
        if len(names) == len(node.targets):
            self._give(names, node.value)
            return
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.annotation)
        if isinstance(node.target, ast.Name) and node.value is not None:
            self._give([node.target.id], node.value)
        else:
            self.visit(node.target)
            if node.value is not None:
                self.visit(node.value)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._give([node.target.id], node.value)

    def _give(self, names: list[str], value: ast.expr) -> None:
        for name in names:
            self.scope.bind(name, Given(value=value, scope=self.scope))
        if names == ["__all__"] and isinstance(value, ast.List | ast.Tuple):
            self.module.listed += [each for each in value.elts if isinstance(each, ast.Constant)]
            return
        if isinstance(value, ast.Name | ast.Attribute) and self.scope.kind != "class":
            self.use[id(value)] = "alias"  # what is called through the new name is followed; in a class body it is not
        self.visit(value)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.scope.bind(node.name, None)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self.scope.bind(node.name, None)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs  # noqa: N815  # ast's names

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self.scope.bind(node.rest, None)
        self.generic_visit(node)

    # --- uses ---

    def visit_Call(self, node: ast.Call) -> None:
        self.module.calls.append((node, self.scope))
        self.use.setdefault(id(node.func), "call")
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if called.startswith("partial") and node.args:
            self.use[id(node.args[0])] = "partial"
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.module.subscripts.append((node, self.scope))
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.module.texts.append(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._used(node)
        else:
            self.scope.bind(node.id, None)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Load):
            self._used(node)
        self.visit(node.value)

    def _used(self, node: ast.Name | ast.Attribute) -> None:
        use = self.use.get(id(node), "reference")
        self.module.uses.append(Used(node=node, scope=self.scope, use=use, dead=self.dead))


def _never(test: ast.expr) -> bool:
    """Say whether a condition never holds when the program runs."""
    if isinstance(test, ast.Constant):
        return not test.value
    return (test.id if isinstance(test, ast.Name) else getattr(test, "attr", "")) == "TYPE_CHECKING"
