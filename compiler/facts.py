"""What conditions over a candidate may read: its stored facts, as values of the expression language."""

from collections.abc import Mapping, Sequence

from compiler.task import Candidate, Reason
from ledger.plain import Plain
from spec_lang.catalog import SOURCE_FACTS, TASK_FACTS
from spec_lang.expr.ast import Node, reads
from spec_lang.expr.evaluate import evaluate
from spec_lang.expr.parse import parse
from spec_lang.expr.types import named
from spec_lang.expr.values import UNKNOWN, Value, read_plain


def candidate_facts(candidate: Candidate) -> dict[str, Plain]:
    """Give a candidate's facts with those that every source has: its id, set and category."""
    return {**candidate.facts, "id": candidate.id, "set": candidate.set, "category": candidate.category}


def fact_values(kind: str, facts: Mapping[str, Plain]) -> dict[str, Value]:
    """Read the stored facts of a source ``kind`` as values.

    ``changed`` is stored as paths with their status and read as the list of paths. A fact that is not of its declared
    type is unknown, like one that is absent: neither can be judged.
    """
    declared = {**TASK_FACTS, **SOURCE_FACTS.get(kind, {})}
    values: dict[str, Value] = {}
    for name in sorted(facts):
        if name == "changed":
            values[name] = _paths(facts[name])
        elif name in declared:
            values[name] = _read(facts[name], declared[name][0])
    return values


def judge_conditions(conditions: Sequence[str], kind: str, facts: Mapping[str, Plain]) -> tuple[Reason, ...]:
    """Say which conditions, in canonical text, a candidate fails; none means that all hold.

    ``condition``: it does not hold. ``unknown-fact``: it cannot be told, and ``detail`` names the facts that are missing.
    """
    values = fact_values(kind, facts)
    reasons = []
    for text in conditions:
        tree = parse(text).tree
        truth = evaluate(tree, values)
        if truth is UNKNOWN:
            absent = ", ".join(_unknown(tree, values)) or "its value"
            reasons.append(Reason(code="unknown-fact", what=text, detail=f"not known: {absent}"))
        elif truth is not True:
            reasons.append(Reason(code="condition", what=text))
    return tuple(reasons)


def _unknown(tree: Node, values: Mapping[str, Value]) -> tuple[str, ...]:
    return tuple(name for name in reads(tree) if values.get(name, UNKNOWN) is UNKNOWN)


def _read(plain: Plain, kind: str) -> Value:
    try:
        return read_plain(plain, named(kind))
    except ValueError:
        return UNKNOWN


def _paths(changed: Plain) -> Value:
    if not isinstance(changed, Sequence) or isinstance(changed, str):
        return UNKNOWN
    return tuple(str(each["path"]) if isinstance(each, Mapping) else str(each) for each in changed)
