"""Expressions over ranges of values: what can be true, what can be false, before any value is known.

Every answer errs on one side only: a truth that can happen is never denied. So a verdict called unreachable is unreachable.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from spec_lang.expr.ast import (
    Amount,
    Arithmetic,
    Call,
    Comparison,
    Junction,
    Name,
    Negation,
    Node,
    Not,
    Number,
    Range,
    Truth,
)
from spec_lang.expr.unparse import unparse

End: TypeAlias = Fraction | None
"""An end of a range; None is no bound on that side."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """All values from ``low`` to ``high``, both included; None is no bound."""

    low: End = None
    high: End = None

    @property
    def empty(self) -> bool:
        """No value at all."""
        return self.low is not None and self.high is not None and self.low > self.high

    def met(self, other: "Bounds") -> "Bounds":
        """The values in both."""
        return Bounds(low=_highest(self.low, other.low), high=_lowest(self.high, other.high))


ANY = Bounds()


@dataclass(frozen=True, kw_only=True, slots=True)
class Can:
    """What a condition can be: true, false, or either."""

    true: bool
    false: bool


EITHER = Can(true=True, false=True)

World: TypeAlias = Mapping[str, Bounds]
"""What is known of each value, by the canonical text that reads it (``cost.p``, ``solved.count(guide)``)."""


def point(value: Fraction | int) -> Bounds:
    """The range of one value."""
    return Bounds(low=Fraction(value), high=Fraction(value))


def can_be(node: Node, world: World) -> Can:
    """Say what a condition can be in a world; what it cannot follow can be either."""
    match node:
        case Truth(value=value):
            return Can(true=value, false=not value)
        case Not(operand=operand):
            inner = can_be(operand, world)
            return Can(true=inner.false, false=inner.true)
        case Junction(word=word, items=items):
            parts = [can_be(each, world) for each in items]
            if word == "and":
                return Can(true=all(each.true for each in parts), false=any(each.false for each in parts))
            return Can(true=any(each.true for each in parts), false=all(each.false for each in parts))
        case Comparison(sign="in", left=left, right=Range(low=low, high=high)):
            above = _compare(">=", bounds_of(left, world), bounds_of(low, world))
            below = _compare("<=", bounds_of(left, world), bounds_of(high, world))
            return Can(true=above.true and below.true, false=above.false or below.false)
        case Comparison(sign="<" | "<=" | ">" | ">=" | "==" | "!=" as sign, left=left, right=right):
            return _compare(sign, bounds_of(left, world), bounds_of(right, world))
        case _:
            return EITHER


def bounds_of(node: Node, world: World) -> Bounds:
    """Give the range of a number in a world; ``ANY`` for what is no number, or not known."""
    match node:
        case Number(value=value):
            return point(Fraction(value))
        case Amount(quantity=quantity):
            return point(Fraction(quantity.base))
        case Name() | Call() if unparse(node) in world:
            return world[unparse(node)]
        case Negation(operand=operand):
            inner = bounds_of(operand, world)
            return Bounds(low=_minus(inner.high), high=_minus(inner.low))
        case Arithmetic(sign=sign, left=left, right=right):
            return _calculate(sign, bounds_of(left, world), bounds_of(right, world))
        case Call(name=Name(parts=("min" | "max" as word,)), arguments=(first, second)):
            return _extreme(word, bounds_of(first, world), bounds_of(second, world))
        case Call(name=Name(parts=("abs",)), arguments=(operand,)):
            inner = bounds_of(operand, world)
            positive = inner.low is not None and inner.low >= 0
            return inner if positive else Bounds(low=Fraction(0))
        case _:
            return ANY


def narrowed(node: Node, world: World) -> dict[str, Bounds]:
    """Give the world in which a condition holds: values compared with constants are cut to what the comparison allows.

    Only joined conditions cut; an ``or`` and a ``not`` cut nothing.
    """
    cut = dict(world)
    if isinstance(node, Junction) and node.word == "and":
        for part in node.items:
            cut = narrowed(part, cut)
    elif isinstance(node, Comparison):
        for key, bounds in _cuts(node, cut):
            cut[key] = cut[key].met(bounds)
    return cut


def _cuts(node: Comparison, world: World) -> list[tuple[str, Bounds]]:
    found: list[tuple[str, Bounds]] = []
    left, right = unparse(node.left), unparse(node.right)
    if left in world:
        found.append((left, _allowed(node.sign, bounds_of(node.right, world))))
    if right in world:
        turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}.get(node.sign, "")
        found.append((right, _allowed(turned, bounds_of(node.left, world))))
    return found


def _allowed(sign: str, other: Bounds) -> Bounds:
    match sign:
        case "<" | "<=":
            return Bounds(high=other.high)
        case ">" | ">=":
            return Bounds(low=other.low)
        case "==":
            return other
        case _:
            return ANY


def _compare(sign: str, left: Bounds, right: Bounds) -> Can:
    less = left.low is None or right.high is None or left.low < right.high
    at_most = left.low is None or right.high is None or left.low <= right.high
    greater = left.high is None or right.low is None or left.high > right.low
    at_least = left.high is None or right.low is None or left.high >= right.low
    match sign:
        case "<":
            return Can(true=less, false=at_least)
        case "<=":
            return Can(true=at_most, false=greater)
        case ">":
            return Can(true=greater, false=at_most)
        case ">=":
            return Can(true=at_least, false=less)
        case "==":
            return Can(true=at_most and at_least, false=less or greater)
        case _:
            return Can(true=less or greater, false=at_most and at_least)


def _calculate(sign: str, left: Bounds, right: Bounds) -> Bounds:
    match sign:
        case "+":
            return Bounds(low=_plus(left.low, right.low), high=_plus(left.high, right.high))
        case "-":
            return Bounds(low=_plus(left.low, _minus(right.high)), high=_plus(left.high, _minus(right.low)))
        case "*":
            return _product(left, right)
        case _:
            if right.low is None or right.high is None or right.low <= 0 <= right.high:
                return ANY
            return _product(left, Bounds(low=1 / right.high, high=1 / right.low))


def _product(left: Bounds, right: Bounds) -> Bounds:
    if left.low is None or left.high is None or right.low is None or right.high is None:
        floor = Fraction(0) if _positive(left) and _positive(right) else None
        return Bounds(low=floor)
    corners = [one * other for one in (left.low, left.high) for other in (right.low, right.high)]
    return Bounds(low=min(corners), high=max(corners))


def _positive(bounds: Bounds) -> bool:
    return bounds.low is not None and bounds.low >= 0


def _extreme(word: str, first: Bounds, second: Bounds) -> Bounds:
    if word == "max":
        low = _highest(first.low, second.low)
        high = None if first.high is None or second.high is None else max(first.high, second.high)
        return Bounds(low=low, high=high)
    low = None if first.low is None or second.low is None else min(first.low, second.low)
    return Bounds(low=low, high=_lowest(first.high, second.high))


def _highest(one: End, other: End) -> End:
    """Give the higher of two lower ends; no bound is below everything."""
    if one is None or other is None:
        return one if other is None else other
    return max(one, other)


def _lowest(one: End, other: End) -> End:
    """Give the lower of two upper ends; no bound is above everything."""
    if one is None or other is None:
        return one if other is None else other
    return min(one, other)


def _plus(one: End, other: End) -> End:
    return None if one is None or other is None else one + other


def _minus(value: End) -> End:
    return None if value is None else -value
