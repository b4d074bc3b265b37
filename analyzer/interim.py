"""What a look at an open run shows: each arm in counts and plain averages, without a test, an interval or a comparison."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import get_args

from analyzer.frame import frame
from analyzer.measures import Fact
from analyzer.missing import Rules
from compiler.plan import AnalysisPlan, TrialPlan
from ledger.records import Line, Verdict
from stats.relative_change import mean, median

AMOUNTS: Mapping[str, str] = {"cost": "USD", "time": "s", "turns": "turn", "tokens": "token"}
"""The facts that are averaged beside the registered measures, with their units."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Average:
    """One measure over an arm's outcomes: of how many it is known; how often yes, or mean and median of an amount.

    None is what does not apply, or has no known value.
    """

    known: int
    yes: int | None = None
    mean: float | None = None
    median: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Glance:
    """One arm so far; ``verdicts`` are its outcomes by verdict."""

    planned: int
    outcomes: int
    verdicts: Mapping[str, int]
    measures: Mapping[str, Average]


def interim(plan: AnalysisPlan, lines: Sequence[Line], trials: Sequence[TrialPlan]) -> dict[str, Glance]:
    """Summarize the outcomes there are, arm by arm, as the ledger tells them; no missing-data rule is applied.

    Raises:
        IntegrityFault: As ``frame``.
    """
    rows = frame(plan, lines, trials).rows
    rules = Rules.of(plan)
    found: dict[str, Glance] = {}
    for arm in plan.arms:
        mine = [row for row in rows if row.trial.arm == arm]
        there = [row for row in mine if row.outcome is not None]
        told = [rules.measured(row.facts) for row in there]
        verdicts = Counter(row.outcome.verdict for row in there if row.outcome is not None)
        found[arm] = Glance(
            planned=len(mine),
            outcomes=len(there),
            verdicts={name: verdicts[name] for name in get_args(Verdict)},
            measures={
                name: _average([each.get(name) for each in told]) for name in dict.fromkeys((*plan.measures, *AMOUNTS))
            },
        )
    return found


def _average(values: Sequence[Fact]) -> Average:
    answers = [each for each in values if isinstance(each, bool)]
    if answers:
        return Average(known=len(answers), yes=sum(answers))
    amounts = [each for each in values if isinstance(each, Fraction)]
    if not amounts:
        return Average(known=sum(each is not None for each in values))
    return Average(known=len(amounts), mean=float(mean(amounts)), median=float(median(amounts)))
