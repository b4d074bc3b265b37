"""Reads a plan's expressions: text to tree, and known facts to exact values."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from analyzer.measures import Fact
from ledger.errors import Fault, IntegrityFault
from spec_lang.diagnostics import SpecErrors
from spec_lang.expr.ast import Node, reads
from spec_lang.expr.evaluate import evaluate
from spec_lang.expr.parse import parse
from spec_lang.expr.values import UNKNOWN


@lru_cache(maxsize=4096)
def tree(text: str) -> Node:
    """Parse canonical text of a plan.

    Raises:
        IntegrityFault: The text is no expression. The compiler wrote only what it had parsed, so the plan was altered.
    """
    try:
        return parse(text).tree
    except SpecErrors as errors:
        raise IntegrityFault(
            Fault(
                code="plan",
                what="the plan holds text that is no expression",
                expected="an expression as the compiler writes it",
                got=text[:200],
                where="plan.json: analysis",
                hint=errors.diagnostics[0].summary,
            )
        ) from errors


def value(expression: Node, known: Mapping[str, Any]) -> Fact:
    """Evaluate; None is unknown, going in and coming out.

    Raises:
        IntegrityFault: The expression fits no value (the compiler had checked its types, so plan or ledger were altered).
    """
    try:
        found = evaluate(expression, known)
    except (TypeError, ValueError, KeyError) as problem:
        raise IntegrityFault(
            Fault(
                code="plan",
                what=f"an expression of the plan does not fit what the ledger holds: {problem}",
                expected="values of the types that the compiler had checked",
                got=", ".join(f"{name} = {known.get(name)!r}" for name in reads(expression))[:300],
                where="plan.json: analysis",
                hint="plan and ledger do not belong together, or one of them was altered",
            )
        ) from problem
    if found is UNKNOWN:
        return None
    assert isinstance(found, bool | str | Fraction), f"an expression of a plan gives a {type(found).__name__}"
    return found


class Expression:
    """An expression that is evaluated over many trials; most read a few words and flags, so it remembers what it gave."""

    _MOST = 4096
    """Results kept; one that reads an amount sees another value each time and gains nothing by more."""

    def __init__(self, text: str) -> None:
        self.tree = tree(text)
        self._names = reads(self.tree)
        self._seen: dict[tuple[Any, ...], Fact] = {}

    def value(self, known: Mapping[str, Fact]) -> Fact:
        """Evaluate; raises as ``value``. A name has one type in all trials, so equal keys mean equal results."""
        key = tuple(map(known.get, self._names))
        if key in self._seen:
            return self._seen[key]
        found = value(self.tree, known)
        if len(self._seen) < self._MOST:
            self._seen[key] = found
        return found


def in_order(measures: Mapping[str, str]) -> tuple[tuple[str, Expression], ...]:
    """Order measures so that each stands behind those it reads; by name where that leaves a choice.

    Raises:
        IntegrityFault: Measures read each other in a circle.
    """
    trees = {name: Expression(measures[name]) for name in sorted(measures)}
    # A measure may be named like the fact it refines (``cost: cost - overhead``): its own name then means the fact.
    needs = {
        name: {each for each in reads(node.tree) if each in trees and each != name} for name, node in trees.items()
    }
    ordered: list[tuple[str, Expression]] = []
    done: set[str] = set()
    while len(done) < len(trees):
        ready = [name for name in trees if name not in done and needs[name] <= done]
        if not ready:
            circle = sorted(set(trees) - done)
            raise IntegrityFault(
                Fault(
                    code="plan",
                    what="measures read each other in a circle",
                    expected="measures that can be put in an order",
                    got=", ".join(circle),
                    where="plan.json: analysis.measures",
                    hint="the plan was altered; compile it again",
                )
            )
        ordered += [(name, trees[name]) for name in ready]
        done.update(ready)
    return tuple(ordered)
