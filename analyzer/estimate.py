"""Estimates every endpoint of a plan: per task, compared between arms, tested, with its interval; or per arm."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from analyzer.aggregate import number
from analyzer.attempts import over_attempts
from analyzer.notes import notes
from analyzer.pairing import Pair, Pairing, pair, pairs_of
from analyzer.per_arm import per_arm
from analyzer.population import Population, TaskValues, tabulate, under, within
from analyzer.procedures import interval, test
from analyzer.proportion import wilson_of
from analyzer.reckoned import Amount, Amounts, Entry, Reckoned
from compiler.plan import EndpointPlan
from stats.relative_change import mean, median


def estimate(endpoint: EndpointPlan, everyone: Population, paired: Pairing | None = None) -> Reckoned:
    """Reckon one endpoint, and again within each level of the facts it is broken down by.

    Unknown stays unknown: where a task's value is unknown, estimate, interval and p are None with a reason, and the
    same numbers over the known tasks stand apart under ``known``, where no decision reads them. ``paired`` are its tasks
    where they were paired before.

    Raises:
        IntegrityFault: The plan asks for what this version does not have.
    """
    chosen = under(everyone, endpoint.where)
    whole = _reckon(endpoint, chosen, paired)
    if not endpoint.by:
        return whole
    levels: dict[str, Amounts] = {}
    for level, part in within(chosen, endpoint.by).items():
        found = _reckon(endpoint, part)
        levels[level] = {**found.values, "notes": list(found.notes)}
    return replace(whole, by=levels)


def _reckon(endpoint: EndpointPlan, chosen: Population, paired: Pairing | None = None) -> Reckoned:
    if endpoint.per_arm is not None:
        return over_attempts(endpoint, chosen) if endpoint.over == "attempts" else per_arm(endpoint, chosen)
    if endpoint.compare is None:
        return _side_by_side(endpoint, tabulate(chosen, endpoint), chosen.arms)
    return _compared(endpoint, paired or pair(tabulate(chosen, endpoint), endpoint.compare))


def _compared(endpoint: EndpointPlan, pairing: Pairing) -> Reckoned:
    known, reasons, remarks = _numbers(endpoint, pairing)
    absent = pairing.unknown
    values: dict[str, Entry] = {
        "n": len(pairing.complete),
        "unknown": len(absent),
        "left_out": len(pairing.left_out),
    }
    if absent:
        why = "; ".join(f"{each.values.task.id} is unknown ({each.why})" for each in absent[:3])
        why += f"; and {len(absent) - 3} more" if len(absent) > 3 else ""
        values |= dict.fromkeys(known)
        values["known"] = known
        reasons = dict.fromkeys(known, why)
    else:
        values |= known
    return Reckoned(
        endpoint=endpoint,
        values=values,
        reasons=reasons,
        notes=remarks,
        tasks={each.values.task.id: _row(each, pairing.sides) for each in pairing.pairs},
        differences=tuple(each.difference for each in pairing.complete if each.difference is not None)
        if not absent
        else None,
    )


def _numbers(endpoint: EndpointPlan, pairing: Pairing) -> tuple[dict[str, Entry], dict[str, str], tuple[str, ...]]:
    """Reckon over the complete pairs: values, reasons, notes."""
    statistic = endpoint.statistic or "mean"
    pairs = pairs_of(pairing, statistic, endpoint.interval)
    found = pairs.differences
    values: dict[str, Entry] = {
        "mean": mean(found) if found else None,
        "median": median(found) if found else None,
    }
    values["estimate"] = values[statistic]
    tested, bounded = test(pairs, endpoint), interval(pairs, endpoint)
    values |= bounded.values
    values |= tested.values
    reasons = {**bounded.reasons, **tested.reasons}
    if not found:
        reasons |= dict.fromkeys(("mean", "median", "estimate"), "no task is left to compare")
    if pairs.solved is not None:
        values["discordant"] = pairs.solved[1] + pairs.solved[2]
        values["counts"] = _counts([each.values for each in pairing.complete], pairing.sides)
    values["arms"] = {arm: _of_arm([each.values for each in pairing.complete], arm, statistic) for arm in pairing.sides}
    values["signs"] = {
        "below": sum(each.numerator < 0 for each in found),
        "zero": sum(each.numerator == 0 for each in found),
        "above": sum(each.numerator > 0 for each in found),
    }
    return values, reasons, notes(endpoint, pairing, pairs, values)


def _side_by_side(endpoint: EndpointPlan, table: Sequence[TaskValues], arms: Sequence[str]) -> Reckoned:
    """Reckon an endpoint without a comparison: each arm over its own tasks."""
    statistic = endpoint.statistic or "mean"
    values: dict[str, Entry] = {"n": len(table)}
    reasons: dict[str, str] = {}
    known: dict[str, Amounts] = {"arms": {}, "counts": {}}
    totals: dict[str, Amount] = {}
    counts: dict[str, Amount] = {}
    for arm in arms:
        kept = [each for each in table if not each.cells[arm].left_out]
        there = [each for each in kept if each.cells[arm].value is not None]
        whole = 0 < len(kept) == len(there)
        total, count = _of_arm(there, arm, statistic), _counts(there, [arm]).get(arm)
        totals[arm], counts[arm] = (total, count) if whole else (None, None)
        if not kept:
            reasons[arm] = "no task is left"
        elif not whole:
            missing = [each for each in kept if each.cells[arm].value is None]
            reasons[arm] = f"{missing[0].task.id} is unknown ({missing[0].cells[arm].why}), {len(missing)} in all"
            known = {"arms": {**known["arms"], arm: total}, "counts": {**known["counts"], arm: count}}
    values["arms"] = totals
    if any(isinstance(each, int) for each in counts.values()):
        values["counts"] = counts
    if any(known.values()):
        values["known"] = known
    if endpoint.interval is not None:
        values["intervals"] = wilson_of(endpoint, counts, {arm: _kept(table, arm) for arm in arms})
    return Reckoned(
        endpoint=endpoint,
        values=values,
        reasons=reasons,
        tasks={each.task.id: {arm: _cell(each, arm) for arm in arms} for each in table},
    )


def _kept(table: Sequence[TaskValues], arm: str) -> int:
    return sum(not each.cells[arm].left_out for each in table)


def _counts(tasks: Sequence[TaskValues], arms: Sequence[str]) -> dict[str, Amount]:
    """Count the tasks on which an arm says yes; nothing where an answer is not yes or no."""
    found: dict[str, Amount] = {}
    for arm in arms:
        answers = [each.cells[arm].value for each in tasks]
        if all(isinstance(each, bool) for each in answers):
            found[arm] = sum(each is True for each in answers)
    return found


def _of_arm(tasks: Sequence[TaskValues], arm: str, statistic: str) -> Fraction | None:
    known = [found for each in tasks if (found := number(each.cells[arm].value)) is not None]
    if not known or len(known) < len(tasks):
        return None
    return median(known) if statistic == "median" else mean(known)


def _row(each: Pair, sides: Sequence[str]) -> Amounts:
    row: dict[str, Amount] = {arm: _cell(each.values, arm) for arm in sides}
    row["difference"] = each.difference
    if each.why:
        row["why"] = each.why
    return row


def _cell(values: TaskValues, arm: str) -> Amount:
    return values.cells[arm].value


def estimates(
    endpoints: Sequence[EndpointPlan], everyone: Population, pairings: Mapping[str, Pairing] | None = None
) -> Mapping[str, Reckoned]:
    """Reckon all endpoints in the order of the plan; ``pairings`` are those that were made before, by endpoint."""
    return {each.name: estimate(each, everyone, (pairings or {}).get(each.name)) for each in endpoints}
