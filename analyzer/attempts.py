"""Endpoints over attempts: what was spent on requests that failed, was lost or retried never drops out of a sum."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.measures import Fact
from analyzer.missing import Settled
from analyzer.population import Population
from analyzer.reading import tree, value
from analyzer.reckoned import Amount, Entry, Reckoned
from compiler.plan import EndpointPlan
from spec_lang.expr.ast import Node, reads
from spec_lang.expr.values import UNKNOWN, Column

Values = Mapping[str, Fact]


@dataclass(frozen=True, kw_only=True, slots=True)
class Counted:
    """One arm under one endpoint: the values of every attempt, and of every trial that no rule excluded (None: a gap)."""

    attempts: Sequence[Values]
    trials: Sequence[Values | None]


def over_attempts(endpoint: EndpointPlan, chosen: Population) -> Reckoned:
    """Compute an endpoint's expression over all attempts of each arm.

    A column that rests on a trial's result (``verdict``, ``judgment``) has one row a trial; every other has one row an
    attempt: lost ones, retried ones, those of trials that a rule excluded, and those of gaps among them. An unknown value
    makes the arm's value unknown; what is known of it stands apart under ``known``, with how much that is.
    """
    assert endpoint.per_arm is not None
    expression = tree(endpoint.per_arm)
    names = {name: name in chosen.of_trials for name in reads(expression)}
    totals: dict[str, Amount] = {}
    known: dict[str, dict[str, Amount]] = {"arms": {}, "attempts": {}, "trials": {}}
    counts: dict[str, dict[str, Amount]] = {"attempts": {}, "trials": {}}
    reasons: dict[str, str] = {}
    for arm in chosen.arms:
        all_ = counted(chosen, arm)
        counts["attempts"][arm], counts["trials"][arm] = len(all_.attempts), len(all_.trials)
        totals[arm] = _value(expression, names, all_) if all_.attempts or all_.trials else None
        if totals[arm] is None:
            part = _complete(names, all_)
            known["arms"][arm] = _value(expression, names, part)
            known["attempts"][arm], known["trials"][arm] = len(part.attempts), len(part.trials)
            reasons[arm] = _reason(names, all_)
    values: dict[str, Entry] = {"n": len(chosen.tasks), "arms": totals, **counts}
    if known["arms"]:
        values["known"] = dict(known)
    return Reckoned(endpoint=endpoint, values=values, reasons=reasons)


def counted(chosen: Population, arm: str) -> Counted:
    """Gather every attempt and every trial of an arm at the chosen tasks."""
    all_ = [each for task in chosen.tasks for each in chosen.trials.get((task.id, arm), ())]
    return Counted(
        attempts=[values for each in all_ for values in attempts_of(each)],
        trials=[each.values if each.fate == "scored" else None for each in all_ if each.fate != "excluded"],
    )


def attempts_of(trial: Settled) -> tuple[Values, ...]:
    """Give the values of every attempt at a trial, the one with the outcome last."""
    return trial.tries if trial.row.outcome is None else (*trial.tries, trial.values)


def _value(expression: Node, names: Mapping[str, bool], counted_: Counted) -> Fact:
    columns = {
        name: Column(
            tuple(
                UNKNOWN if row is None or (found := row.get(name)) is None else found
                for row in (counted_.trials if of_trial else counted_.attempts)
            )
        )
        for name, of_trial in names.items()
    }
    return value(expression, columns)


def _complete(names: Mapping[str, bool], all_: Counted) -> Counted:
    """Keep the attempts and the trials of which everything that is read is known."""
    read = {kind: [name for name, of_trial in names.items() if of_trial is kind] for kind in (True, False)}
    return Counted(
        attempts=[row for row in all_.attempts if all(row.get(name) is not None for name in read[False])],
        trials=[
            row for row in all_.trials if row is not None and all(row.get(name) is not None for name in read[True])
        ],
    )


def _reason(names: Mapping[str, bool], all_: Counted) -> str:
    """Say of how many attempts or trials each value is unknown."""
    if not all_.attempts and not all_.trials:
        return "no attempt is left"
    gaps = sum(row is None for row in all_.trials)
    found = [f"{gaps} of {len(all_.trials)} trials have no outcome"] if gaps and any(names.values()) else []
    for name, of_trial in names.items():
        rows = [row for row in (all_.trials if of_trial else all_.attempts) if row is not None]
        unknown = sum(row.get(name) is None for row in rows)
        if unknown:
            found.append(f"{name} is unknown on {unknown} of {len(rows)} {'trials' if of_trial else 'attempts'}")
    return "; ".join(found) or "it divides by zero, or there is nothing to aggregate"
