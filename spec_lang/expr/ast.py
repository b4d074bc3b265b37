"""The nodes of an expression, and the Expression that a spec holds: its canonical text, its tree, and where it stands."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, TypeAlias

from spec_lang.quantity import Quantity
from spec_lang.span import Position, Span

Stretch: TypeAlias = tuple[int, int]
"""Offsets [start, end) in the text that was parsed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Placed:
    """What every node has: where it stands. It is for people only: not compared, not hashed, not shown."""

    at: Stretch = field(default=(0, 0), compare=False, repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Number(_Placed):
    """A plain number; never negative (a minus is a Negation)."""

    value: Decimal


@dataclass(frozen=True, kw_only=True, slots=True)
class Amount(_Placed):
    """A number with a unit: ``20 min``."""

    quantity: Quantity


@dataclass(frozen=True, kw_only=True, slots=True)
class Text(_Placed):
    """Text in double quotes, without its quotes and escapes."""

    value: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Truth(_Placed):
    """``true`` or ``false``."""

    value: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Items(_Placed):
    """A list: ``["a", "b"]``."""

    items: tuple["Node", ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Name(_Placed):
    """A name, dotted or not: ``cost``, ``limits.cost``."""

    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The name as written."""
        return ".".join(self.parts)


@dataclass(frozen=True, kw_only=True, slots=True)
class Call(_Placed):
    """A call: ``count(x)``, ``solved.count(baseline)``."""

    name: Name
    arguments: tuple["Node", ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Negation(_Placed):
    """``-x``."""

    operand: "Node"


@dataclass(frozen=True, kw_only=True, slots=True)
class Not(_Placed):
    """``not x``."""

    operand: "Node"


ArithmeticSign = Literal["+", "-", "*", "/"]
ComparisonSign = Literal["==", "!=", "<", "<=", ">", ">=", "in", "startswith", "matches"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Arithmetic(_Placed):
    """``left + right`` and the like."""

    sign: ArithmeticSign
    left: "Node"
    right: "Node"


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison(_Placed):
    """``left < right`` and the like; comparisons do not chain."""

    sign: ComparisonSign
    left: "Node"
    right: "Node"


@dataclass(frozen=True, kw_only=True, slots=True)
class Range(_Placed):
    """``low..high``, both ends included."""

    low: "Node"
    high: "Node"


@dataclass(frozen=True, kw_only=True, slots=True)
class Junction(_Placed):
    """``a and b and c``, or the same with ``or``; two items or more."""

    word: Literal["and", "or"]
    items: tuple["Node", ...]


Node: TypeAlias = (
    Number | Amount | Text | Truth | Items | Name | Call | Negation | Not | Arithmetic | Comparison | Range | Junction
)


def children(node: Node) -> tuple[Node, ...]:
    """Give a node's direct parts, left to right (the name of a call is no part of its own)."""
    match node:
        case Items(items=items) | Junction(items=items):
            return items
        case Call(arguments=arguments):
            return arguments
        case Negation(operand=operand) | Not(operand=operand):
            return (operand,)
        case Arithmetic(left=left, right=right) | Comparison(left=left, right=right):
            return (left, right)
        case Range(low=low, high=high):
            return (low, high)
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """Give a node and everything below it."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        waiting.extend(reversed(children(here)))


def reads(node: Node) -> tuple[str, ...]:
    """Give every name that is read, in order, without repetition; a call on an endpoint reads as one name, ``solved.count(baseline)``."""
    found: dict[str, None] = {}
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if isinstance(here, Name):
            found[here.text] = None
        elif isinstance(here, Call) and len(here.name.parts) > 1:
            found[f"{here.name.text}({', '.join(each.text for each in here.arguments if isinstance(each, Name))})"] = (
                None
            )
        else:
            waiting.extend(reversed(children(here)))
    return tuple(found)


@dataclass(frozen=True, kw_only=True, slots=True)
class Expression:
    """An expression of a spec.

    ``text`` is canonical (what ``unparse`` gives for ``tree``). ``span`` and ``places`` (the position of each
    character that was parsed, and of the end) are for people only and take no part in equality or hash.
    """

    text: str
    tree: Node
    span: Span = field(compare=False, repr=False)
    places: tuple[Position, ...] = field(compare=False, repr=False)

    def where(self, node: Node) -> Span:
        """Give the stretch of the source at which a node of this tree stands."""
        return between(self.span, self.places, *node.at)


def between(span: Span, places: tuple[Position, ...], start: int, end: int) -> Span:
    """Give the stretch of the source from one character of a parsed text up to another; a caret needs at least one column."""
    last = len(places) - 1
    first, final = places[min(start, last)], places[min(max(end - 1, start), last)]
    return Span(source=span.source, start=first, end=Position(line=final.line, column=final.column + 1))
