"""Endpoints computed over all trials of one arm, such as the cost per solved task; they are never paired."""

from collections.abc import Sequence

from analyzer.measures import Fact
from analyzer.missing import Settled
from analyzer.population import Population
from analyzer.proportion import wilson_of
from analyzer.reading import tree, value
from analyzer.reckoned import Amount, Entry, Reckoned
from compiler.plan import EndpointPlan
from spec_lang.expr.ast import Call, Node, reads
from spec_lang.expr.values import UNKNOWN, Column, Value

REPEATS = "its interval counts the seeds of a task as if they were tasks, so it is too narrow"


def per_arm(endpoint: EndpointPlan, chosen: Population) -> Reckoned:
    """Compute an endpoint's expression over the scored trials of each arm.

    A trial with an unknown value makes the arm's value unknown; the same over the complete trials alone stands under ``known``
    as what it is, a known part. No trial at all makes it unknown too: that none did something says nothing of it then.
    """
    assert endpoint.per_arm is not None
    expression = tree(endpoint.per_arm)
    columns = reads(expression)
    totals: dict[str, Amount] = {}
    known: dict[str, Amount] = {}
    trials: dict[str, Amount] = {}
    counts: dict[str, Amount] = {}
    reasons: dict[str, str] = {}
    for arm in chosen.arms:
        rows = rows_of(chosen, arm)
        complete = [row for row in rows if all(_known(row, name) for name in columns)]
        gaps = [row for row in rows if row.fate == "gap"]
        trials[arm] = len(rows)
        whole = None if gaps or not rows else _over(expression, columns, rows)
        totals[arm] = whole
        if whole is None:
            reasons[arm] = _reason(rows, complete, gaps)
        if len(complete) < len(rows):
            known[arm] = _over(expression, columns, complete)
        counts[arm] = _hits(expression, columns, rows) if not gaps else None
    values: dict[str, Entry] = {"n": len(chosen.tasks), "arms": totals, "trials": trials}
    if known:
        values["known"] = {"arms": known}
    if endpoint.interval is not None:
        values["intervals"] = wilson_of(endpoint, counts, {arm: int(str(trials[arm])) for arm in chosen.arms})
    repeated = len(chosen.tasks) < max((len(rows_of(chosen, arm)) for arm in chosen.arms), default=0)
    notes = (REPEATS,) if endpoint.interval is not None and repeated else ()
    return Reckoned(endpoint=endpoint, values=values, reasons=reasons, notes=notes)


def rows_of(chosen: Population, arm: str) -> list[Settled]:
    """Give an arm's trials of the chosen tasks but those that a registered rule excluded."""
    return [each for task in chosen.tasks for each in chosen.trials.get((task.id, arm), ()) if each.fate != "excluded"]


def _known(row: Settled, name: str) -> bool:
    return row.fate == "scored" and row.values.get(name) is not None


def _over(expression: Node, columns: Sequence[str], rows: Sequence[Settled]) -> Fact:
    return value(expression, {name: Column(tuple(_cell(row, name) for row in rows)) for name in columns})


def _cell(row: Settled, name: str) -> Value:
    found = row.values.get(name)
    return UNKNOWN if found is None else found


def _hits(expression: Node, columns: Sequence[str], rows: Sequence[Settled]) -> Amount:
    """Count the trials behind ``share(x)``, for its interval; anything else has no count."""
    match expression:
        case Call(name=name, arguments=(argument,)) if name.text == "share":
            found = [value(argument, {each: row.values.get(each) for each in columns}) for row in rows]
            return None if any(each is None for each in found) else sum(each is True for each in found)
        case _:
            return None


def _reason(rows: Sequence[Settled], complete: Sequence[Settled], gaps: Sequence[Settled]) -> str:
    if not rows:
        return "no trial is left"
    if gaps:
        return f"{len(gaps)} of {len(rows)} trials have no outcome"
    if len(complete) < len(rows):
        return f"{len(rows) - len(complete)} of {len(rows)} trials have an unknown value"
    return "it divides by zero, or there is nothing to aggregate"
