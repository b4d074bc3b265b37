"""Trees to values: total on what was checked, exact, and unknown where something is not known."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from operator import add, eq, ge, gt, le, lt, mul, ne, sub
from typing import Any

from spec_lang.expr import ast, patterns
from spec_lang.expr.builtins import BY_NAME, Builtin
from spec_lang.expr.unparse import unparse
from spec_lang.expr.values import UNKNOWN, Column, Given, Interval, Value, value_of

_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}
UNSAID: Mapping[str, str] = {"judgment": "unjudged"}
"""The value of a fact that says that nobody has answered; it stands for an answer that is not known."""
_ARITHMETIC: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {"+": add, "-": sub, "*": mul}

Calls = Mapping[str, Callable[..., Given]]


def evaluate(tree: ast.Node, names: Mapping[str, Given], calls: Calls | None = None) -> Value:
    """Compute a checked expression over what is known.

    ``names``: value under each dotted name; a name that is absent or None is unknown. The value of a call on an
    endpoint stands under its text: ``names["solved.count(baseline)"]``. In a per-arm expression names hold ``Column``.
    ``calls``: functions that stand in for builtins of that name.

    Amounts are in base units (s, USD, bytes, 1), shares and points are fractions of 1. ``and``/``or``/``not`` follow
    Kleene: ``false and unknown`` is false. Dividing by zero is unknown, and so is a mean of nothing.
    Never raises on an expression that ``check`` accepted and values of the types it was checked with.
    """
    return _Evaluation(names, calls or {}).value(tree)


class _Evaluation:
    """One evaluation over one set of names."""

    def __init__(self, names: Mapping[str, Given], calls: Calls) -> None:
        self.names, self.calls = names, calls

    def value(self, node: ast.Node) -> Value:  # noqa: C901 # one case a kind of node
        match node:
            case ast.Name():
                return value_of(self.names.get(node.text))
            case ast.Arithmetic(sign=sign, left=left, right=right):
                return _compute(sign, self.value(left), self.value(right))
            case ast.Comparison(sign=sign, left=left, right=right):
                return _compare(sign, self.compared(left, right), self.compared(right, left))
            case ast.Number(value=value):
                return Fraction(value)
            case ast.Amount(quantity=quantity):
                return Fraction(quantity.base)
            case ast.Text(value=value) | ast.Truth(value=value):
                return value
            case ast.Items(items=items):
                return tuple(self.value(each) for each in items)
            case ast.Call():
                return self.call(node)
            case ast.Not(operand=operand):
                truth = self.value(operand)
                return UNKNOWN if truth is UNKNOWN else not truth
            case ast.Negation(operand=operand):
                number = self.value(operand)
                return -number if isinstance(number, Fraction) else UNKNOWN
            case ast.Junction(word=word, items=items):
                return _join(word == "or", [self.value(each) for each in items])
            case ast.Range(low=low, high=high):
                ends = self.value(low), self.value(high)
                if isinstance(ends[0], Fraction) and isinstance(ends[1], Fraction):
                    return Interval(low=ends[0], high=ends[1])
                return UNKNOWN

    def compared(self, node: ast.Node, other: ast.Node) -> Value:
        """Give one side of a comparison. What nobody has said yet is neither equal to an answer nor different from it.

        ``judgment == "success"`` is unknown of a trial that nobody judged; ``judgment == "unjudged"`` holds.
        """
        value = self.value(node)
        unsaid = UNSAID.get(node.text) if isinstance(node, ast.Name) else None
        asked = unsaid is not None and ast.Text(value=unsaid) in (other, *ast.children(other))
        return UNKNOWN if value == unsaid and unsaid is not None and not asked else value

    def call(self, node: ast.Call) -> Value:
        name = node.name.text
        builtin = BY_NAME.get(name)
        if name in self.calls:
            arguments = [self.value(each) for each in node.arguments]
            return UNKNOWN if UNKNOWN in arguments else value_of(self.calls[name](*arguments))
        if builtin is None:
            return value_of(self.names.get(unparse(node)))
        if builtin.name == "known":
            return _is_known(self.value(node.arguments[0]))
        if builtin.aggregate:
            return self.aggregate(builtin, node.arguments[0])
        arguments = [self.value(each) for each in node.arguments]
        if builtin.fact is not None:
            arguments.insert(0, value_of(self.names.get(builtin.fact)))
        return builtin.function(*arguments) if all(map(_is_known, arguments)) else UNKNOWN

    def aggregate(self, builtin: Builtin, argument: ast.Node) -> Value:
        """Compute the argument row by row, then the aggregate over all rows; without a column, over a list."""
        columns = {
            name: column for name in ast.reads(argument) if isinstance(column := value_of(self.names.get(name)), Column)
        }
        if not columns:
            items = self.value(argument)
            return Fraction(len(items)) if isinstance(items, tuple) else UNKNOWN
        rows = tuple(
            _Evaluation({**self.names, **dict(zip(columns, row, strict=True))}, self.calls).value(argument)
            for row in zip(*(column.rows for column in columns.values()), strict=True)
        )
        if not all(map(_is_known, rows)):
            return UNKNOWN
        if not rows and builtin.name in ("mean", "median", "share"):
            return UNKNOWN
        return builtin.function(rows)


def _is_known(value: Value) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_known, value))
    return value is not UNKNOWN


def _join(word_is_or: bool, truths: list[Value]) -> Value:  # one place, said by its name
    """Kleene: one true decides an ``or``, one false an ``and``; else an unknown leaves it open."""
    if word_is_or in truths:
        return word_is_or
    return UNKNOWN if UNKNOWN in truths else not word_is_or


def _compute(sign: str, left: Value, right: Value) -> Value:
    if not (isinstance(left, Fraction) and isinstance(right, Fraction)):
        return UNKNOWN
    if sign == "/":
        return left / right if right else UNKNOWN
    return _ARITHMETIC[sign](left, right)


def _compare(sign: str, left: Value, right: Value) -> Value:
    if sign == "in" and isinstance(right, tuple) and left is not UNKNOWN:
        return _join(True, [_compare("==", left, each) for each in right])  # noqa: FBT003 # as declared above
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    match sign, left, right:
        case "in", Fraction(), Interval(low=low, high=high):
            return low <= left <= high
        case "startswith", str(), str():
            return left.startswith(right)
        case "matches", str(), str():
            return patterns.search(right).search(left) is not None
        case (("==" | "!="), tuple(), tuple()):
            same = _equal_lists(left, right)
            return same if same is UNKNOWN or sign == "==" else not same
        case _:
            return _ORDER[sign](left, right)


def _equal_lists(left: tuple[Value, ...], right: tuple[Value, ...]) -> Value:
    if len(left) != len(right):
        return False
    return _join(False, [_compare("==", one, other) for one, other in zip(left, right, strict=True)])  # noqa: FBT003
