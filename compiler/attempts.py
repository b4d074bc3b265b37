"""What an endpoint over attempts adds up: amounts of every attempt, and results, of which a trial has one."""

from collections.abc import Mapping

from spec_lang.expr.ast import Node, reads

RESULTS = frozenset({"verdict", "first_verdict", "judgment"})
"""Trial facts of which a trial has one, however many attempts it took. All others are measured in every attempt."""


def of_trials(measures: Mapping[str, Node]) -> frozenset[str]:
    """Give the names that say something of a trial as a whole: its results, and every measure that rests on one."""
    found = set(RESULTS)
    growing = True
    while growing:
        more = {name for name, tree in measures.items() if name not in found and set(reads(tree)) & found}
        found |= more
        growing = bool(more)
    return frozenset(found)
