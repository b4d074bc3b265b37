"""How parts of an expression are spoken of in messages, and what literals say."""

from collections.abc import Iterable
from fractions import Fraction

from spec_lang.expr import ast
from spec_lang.expr.scope import Scope
from spec_lang.expr.types import BoolType, ColumnType
from spec_lang.expr.unparse import unparse


def is_zero(node: ast.Node) -> bool:
    """Say whether a node is the literal ``0``, which fits every unit."""
    return isinstance(node, ast.Number) and node.value == 0


def literal(node: ast.Node) -> Fraction | None:
    """Give the amount that a literal writes out, in base units; None when the node is computed."""
    match node:
        case ast.Number(value=value):
            return Fraction(value)
        case ast.Amount(quantity=quantity):
            return Fraction(quantity.base)
        case ast.Negation(operand=operand):
            amount = literal(operand)
            return None if amount is None else -amount
        case _:
            return None


def written(node: ast.Node) -> str | None:
    """Give the number of a literal as it was written, without its unit; None when the node is computed."""
    match node:
        case ast.Number():
            return unparse(node)
        case ast.Amount(quantity=quantity):
            return unparse(ast.Number(value=quantity.number))
        case ast.Negation(operand=operand):
            inner = written(operand)
            return None if inner is None else f"-{inner}"
        case _:
            return None


def shown(node: ast.Node) -> str:
    """Name a value by its endpoint where it is one of its estimates: ``solved`` for ``solved.lower``."""
    if isinstance(node, ast.Name) and node.parts[-1] in ("estimate", "lower", "upper"):
        return node.parts[0]
    return unparse(node)


def fields(scope: Scope, owner: str) -> tuple[str, ...]:
    """Give the fields and calls that a name has in a scope."""
    dotted = [name for name in (*scope.names, *scope.methods) if name.startswith(f"{owner}.")]
    return tuple(name.removeprefix(f"{owner}.") for name in dotted)


def listed(owner: str, names: Iterable[str]) -> str:
    """List fields behind their owner."""
    return ", ".join(f"`{owner}.{name}`" for name in names)


def with_article(noun: str) -> str:
    """Put ``a`` or ``an`` before a noun."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def aggregated(node: ast.Node, scope: Scope) -> str:
    """Write a per-arm expression with its bare columns aggregated: ``cost / solved`` becomes ``sum(cost) / count(solved)``."""
    return unparse(_aggregate(node, scope))


def _aggregate(node: ast.Node, scope: Scope) -> ast.Node:
    match node:
        case ast.Name():
            kind = scope.names.get(node.text)
            if not isinstance(kind, ColumnType):
                return node
            name = "count" if isinstance(kind.of, BoolType) else "sum"
            return ast.Call(name=ast.Name(parts=(name,)), arguments=(node,))
        case ast.Arithmetic(sign=sign, left=left, right=right):
            return ast.Arithmetic(sign=sign, left=_aggregate(left, scope), right=_aggregate(right, scope))
        case ast.Negation(operand=operand):
            return ast.Negation(operand=_aggregate(operand, scope))
        case ast.Comparison() | ast.Not() | ast.Junction():
            return ast.Call(name=ast.Name(parts=("count",)), arguments=(node,))
        case _:
            return node
