"""A tree to its canonical text: one spelling for one meaning."""

from decimal import Decimal

from spec_lang.expr.ast import (
    Amount,
    Arithmetic,
    Call,
    Comparison,
    Items,
    Junction,
    Name,
    Negation,
    Node,
    Not,
    Number,
    Range,
    Text,
    Truth,
)

_OR, _AND, _NOT, _COMPARISON, _RANGE, _SUM, _TERM, _FACTOR, _ATOM = range(9)


def unparse(tree: Node) -> str:
    """Write a tree; ``parse`` of the text gives the same tree. Parentheses stand only where they are needed."""
    return _write(tree)


def number_text(value: Decimal) -> str:
    """Write a number without exponent and without trailing zeros."""
    return format(value.normalize(), "f")


def _tightness(node: Node) -> int:
    """Say how tightly a node binds; a looser part of a tighter whole needs parentheses."""
    match node:
        case Junction(word=word):
            return _OR if word == "or" else _AND
        case Not():
            return _NOT
        case Comparison():
            return _COMPARISON
        case Range():
            return _RANGE
        case Arithmetic(sign=sign):
            return _SUM if sign in "+-" else _TERM
        case Negation():
            return _FACTOR
        case _:
            return _ATOM


def _write(node: Node) -> str:  # noqa: C901 # one case a kind of node
    match node:
        case Number(value=value):
            return number_text(value)
        case Amount(quantity=quantity):
            return f"{number_text(quantity.number)} {quantity.unit.name}"
        case Text(value=value):
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'
        case Truth(value=value):
            return "true" if value else "false"
        case Name():
            return node.text
        case Items(items=items):
            return f"[{', '.join(map(_write, items))}]"
        case Call(name=name, arguments=arguments):
            return f"{name.text}({', '.join(map(_write, arguments))})"
        case Not(operand=operand):
            return f"not {_inside(operand, _NOT)}"
        case Negation(operand=operand):
            return f"-{_inside(operand, _FACTOR)}"
        case Junction(word=word, items=items):
            # One step tighter: a junction inside a junction of the same word was written with parentheses.
            return f" {word} ".join(_inside(each, _tightness(node) + 1) for each in items)
        case Range(low=low, high=high):
            return f"{_inside(low, _SUM)}..{_inside(high, _SUM)}"
        case Comparison(sign=sign, left=left, right=right):
            return f"{_inside(left, _RANGE)} {sign} {_inside(right, _RANGE)}"
        case Arithmetic(sign=sign, left=left, right=right):
            level = _tightness(node)
            return f"{_inside(left, level)} {sign} {_inside(right, level + 1)}"


def _inside(node: Node, level: int) -> str:
    """Write a part that stands where at least ``level`` is needed."""
    text = _write(node)
    return f"({text})" if _tightness(node) < level else text
