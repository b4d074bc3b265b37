"""Scopes of Python files and what their names may stand for: nouns of a search that follows names."""

import ast
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Literal

Use = Literal["call", "decorator", "partial", "reference", "alias"]
_ROOTS = ("src", "lib")


@dataclass(frozen=True, kw_only=True, slots=True)
class Imported:
    """A name bound by an import: a module, or (with ``name``) a member of one."""

    module: str
    name: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Given:
    """A name bound to the value of an expression."""

    value: ast.expr
    scope: "Scope"


@dataclass(frozen=True, kw_only=True, slots=True)
class Defined:
    """A name bound to a function or class of its own."""

    lines: tuple[int, int]


Binding = Imported | Given | Defined | None
"""What a name may stand for; None: something that is not followed (a parameter, a loop's variable)."""


@dataclass(kw_only=True, eq=False)
class Scope:
    """A module, class or function body (or comprehension) and the names that it binds."""

    kind: Literal["module", "class", "function"]
    parent: "Scope | None" = None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    outer: dict[str, "Scope"] = field(default_factory=dict)

    def bind(self, name: str, binding: Binding) -> None:
        """Add what a name may stand for here, or where ``global`` and ``nonlocal`` say."""
        self.outer.get(name, self).bindings.setdefault(name, []).append(binding)

    def lookup(self, name: str) -> "tuple[Scope, list[Binding]] | None":
        """Find the scope that a name is read from, by Python's rules: a class body is seen from inside itself alone."""
        here: Scope | None = self
        while here is not None:
            if name in here.bindings and (here is self or here.kind != "class"):
                return here, here.bindings[name]
            here = here.parent
        return None


@dataclass(frozen=True, kw_only=True, slots=True)
class Used:
    """An expression that may stand for an API, and how it is used there."""

    node: ast.Name | ast.Attribute
    scope: Scope
    use: Use
    dead: bool


@dataclass(kw_only=True, eq=False)
class Module:
    """A file: its dotted name, its outermost scope, and what its expressions use."""

    path: str
    name: str
    is_package: bool
    lines: tuple[str, ...]
    scope: Scope = field(default_factory=lambda: Scope(kind="module"))
    uses: list[Used] = field(default_factory=list)
    calls: list[tuple[ast.Call, Scope]] = field(default_factory=list)
    subscripts: list[tuple[ast.Subscript, Scope]] = field(default_factory=list)
    texts: list[ast.Constant] = field(default_factory=list)
    listed: list[ast.Constant] = field(default_factory=list)  # names in __all__
    imports: list[tuple[ast.alias, Scope]] = field(default_factory=list)


def module_name(path: str) -> str:
    """Give the dotted name under which a file is imported: its path, less a leading ``src`` or ``lib``."""
    parts = list(PurePosixPath(path).with_suffix("").parts)
    if len(parts) > 1 and parts[0] in _ROOTS:
        parts = parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
