"""Counts per arm: planned, outcomes, attempts, retries, exclusions, and the part of the cost that is known."""

from collections import Counter
from collections.abc import Iterable, Sequence

from analyzer.missing import Settled
from analyzer.verdict import ArmSummary
from stats.total import total

NOT_REGISTERED = "invalid environment"
"""How an attempt is counted whose environment was not the registered one, where no rule speaks of that."""


def summaries(arms: Sequence[str], settled: Sequence[Settled]) -> dict[str, ArmSummary]:
    """Summarise every arm over all its planned trials.

    These totals are unpaired: they are shown, and no claim rests on them. Cost is that of every attempt, lost ones too.
    """
    by_arm: dict[str, list[Settled]] = {arm: [] for arm in arms}
    for each in settled:
        by_arm[each.row.trial.arm].append(each)
    return {arm: _summary(mine) for arm, mine in by_arm.items()}


def _summary(settled: Sequence[Settled]) -> ArmSummary:
    rows = [each.row for each in settled]
    spent = [cost for row in rows for cost in row.spent]
    known = [cost for cost in spent if cost is not None]
    return ArmSummary(
        planned=len(rows),
        outcomes=_counted(row.outcome.verdict for row in rows if row.outcome is not None),
        attempts=sum(row.attempts for row in rows),
        retried=_counted(lost.rule or NOT_REGISTERED for row in rows for lost in row.lost),
        excluded=_counted(each.rule or "" for each in settled if each.fate == "excluded"),
        cost_usd=float(total(known)) if known else None,
        cost_unknown=len(spent) - len(known),
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    counts = Counter(names)
    return {name: counts[name] for name in sorted(counts)}
