"""The selection rule over a pool: which candidates meet every condition, which do not and why, which the gate turned away."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from compiler.facts import candidate_facts, judge_conditions
from compiler.pool import Pool
from compiler.private import as_harvested
from compiler.rewrite import condition_texts
from compiler.task import Candidate, Reason
from spec_lang.diagnostics import Bag, Diagnostic
from spec_lang.load import Loaded

CODES = {
    "P391": "a pool whose verdict on a candidate does not follow from its facts",
    "P392": "a task set without a single candidate",
}

SELECTING = frozenset({"condition", "unknown-fact"})
"""Codes of reasons that say that the selection rule does not hold; every other reason is the gate's."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Selected:
    """One set after the selection rule.

    ``eligible``: candidates that meet every condition, sorted by id, gated ones included: they take part in the shuffle,
    as in a draw that rejects flaky tasks on its walk. ``gated``: those of them that the gate turned away, with its reason.
    ``dropped``: how many candidates each condition or gate step turned away before; the first reason of each counts.
    """

    name: str
    found: int
    eligible: tuple[Candidate, ...]
    gated: Mapping[str, Reason]
    dropped: Mapping[str, int]
    candidates: Mapping[str, Candidate]


def select(loaded: Loaded, pool: Pool) -> tuple[Selected, ...]:
    """Apply every set's conditions to its candidates' facts, sets sorted by name.

    Raises SpecErrors when the pool contradicts its own facts: a kept candidate that fails a condition, or one dropped
    for a condition that holds.
    """
    bag = Bag()
    chosen = tuple(_one(loaded, pool, name, bag) for name in sorted(loaded.spec.tasks))
    bag.raise_errors()
    return chosen


def _one(loaded: Loaded, pool: Pool, name: str, bag: Bag) -> Selected:
    tasks = loaded.spec.tasks[name]
    conditions = condition_texts(loaded.spec, tasks.where)
    candidates = sorted((each for each in pool.candidates if each.set == name), key=lambda each: each.id)
    eligible: list[Candidate] = []
    gated: dict[str, Reason] = {}
    dropped: Counter[str] = Counter()
    for candidate in candidates:
        failed = judge_conditions(conditions, tasks.source.kind, candidate_facts(candidate))
        if candidate.private is not None:
            failed = as_harvested(candidate, failed, SELECTING)
        gate = [each for each in candidate.reasons if each.code not in SELECTING]
        bag.extend(_contradictions(loaded, candidate, failed, gate))
        if failed:
            dropped[_label(gate[0] if gate and failed[0].code == "unknown-fact" else failed[0])] += 1
            continue
        eligible.append(candidate)
        if candidate.status == "dropped" and gate:
            gated[candidate.id] = gate[0]
    if not candidates:
        where = loaded.spans.key("tasks", name)
        bag.add(Diagnostic(code="P392", summary=f"the pool holds no candidate for `{name}`", span=where))
    return Selected(
        name=name,
        found=len(candidates),
        eligible=tuple(eligible),
        gated=gated,
        dropped={label: dropped[label] for label in sorted(dropped)},
        candidates={each.id: each for each in candidates},
    )


def _label(reason: Reason) -> str:
    """Name a reason in the drop list: a condition by its text, an unknown fact by the fact, a gate step by its code."""
    if reason.code == "condition":
        return reason.what
    return f"{reason.what} ({reason.detail})" if reason.code == "unknown-fact" else reason.code


def _contradictions(
    loaded: Loaded, candidate: Candidate, failed: tuple[Reason, ...], gate: list[Reason]
) -> list[Diagnostic]:
    where = loaded.spans.at("tasks", candidate.set, "where")
    if candidate.status == "kept" and failed:
        summary = f"the pool keeps `{candidate.id}`, and `{failed[0].what}` does not hold"
        return [
            Diagnostic(code="P391", summary=summary, span=where, detail=failed[0].detail or None, hint="harvest again")
        ]
    if candidate.status == "dropped" and not failed and not gate:
        said = candidate.reasons[0].what if candidate.reasons else "no reason"
        summary = f"the pool drops `{candidate.id}` for `{said}`, and every condition holds"
        return [Diagnostic(code="P391", summary=summary, span=where, hint="harvest again")]
    return []
