"""Expressions with names replaced by what they stand for, so that a plan's conditions need nothing but facts."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from spec_lang.expr.ast import (
    Arithmetic,
    Call,
    Comparison,
    Expression,
    Items,
    Junction,
    Name,
    Negation,
    Node,
    Not,
    Range,
    Text,
    reads,
)
from spec_lang.expr.unparse import unparse
from spec_lang.model import Spec

LATEST_CUTOFF = "models.latest_cutoff"


def substitute(node: Node, known: Mapping[str, Node]) -> Node:
    """Replace every name that ``known`` has by its node."""
    match node:
        case Name():
            return known.get(node.text, node)
        case Items(items=items) | Junction(items=items):
            return replace(node, items=tuple(substitute(each, known) for each in items))
        case Call(arguments=arguments):
            return replace(node, arguments=tuple(substitute(each, known) for each in arguments))
        case Negation(operand=operand) | Not(operand=operand):
            return replace(node, operand=substitute(operand, known))
        case Arithmetic(left=left, right=right) | Comparison(left=left, right=right):
            return replace(node, left=substitute(left, known), right=substitute(right, known))
        case Range(low=low, high=high):
            return replace(node, low=substitute(low, known), high=substitute(high, known))
        case _:
            return node


def latest_cutoff(spec: Spec) -> str | None:
    """Give the latest training cut-off that the foreknowledge declares (YYYY-MM-DD), or None when none is."""
    return max(spec.foreknowledge.model_cutoffs.values(), default=None)


def condition_texts(spec: Spec, conditions: Iterable[Expression]) -> tuple[str, ...]:
    """Give conditions over facts in canonical text, the latest cut-off written in as a date."""
    latest = latest_cutoff(spec)
    known: dict[str, Node] = {}
    if latest is not None:
        known[LATEST_CUTOFF] = Call(name=Name(parts=("date",)), arguments=(Text(value=latest),))
    return tuple(unparse(substitute(each.tree, known)) for each in conditions)


def measure_texts(spec: Spec) -> dict[str, str]:
    """Give every measure in canonical text over trial facts alone, sorted by name.

    Measures may read one another; a map has no order, so whoever evaluates them would have to find one. Here each is
    written out instead. Circles are refused by the checks before.
    """
    done: dict[str, Node] = {}

    def written_out(name: str) -> Node:
        if name not in done:
            tree = spec.measures[name].tree
            done[name] = substitute(tree, {each: written_out(each) for each in reads(tree) if each in spec.measures})
        return done[name]

    return {name: unparse(written_out(name)) for name in sorted(spec.measures)}
