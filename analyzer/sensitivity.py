"""What the verdict would be if everything that is missing had gone against one arm, and for the others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from analyzer.judge import weigh
from analyzer.measures import Fact
from analyzer.missing import Settled
from analyzer.population import population
from analyzer.reading import tree
from analyzer.reckoned import Reckoned
from analyzer.verdict import Status
from compiler.plan import AnalysisPlan
from spec_lang.expr.ast import reads

MOST_TRIALS = 6000
"""Beyond so many trials judging twice more would be felt."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scenario:
    """The verdict when every missing value of one arm is as bad, and of the others as good, as any that was seen."""

    against: str
    status: Status
    endpoints: Mapping[str, Reckoned]


def touched(settled: Sequence[Settled], names: Sequence[str]) -> list[Settled]:
    """Give the trials that a missing-data rule decided, that are gaps, or that lack a value an endpoint reads."""
    return [
        each
        for each in settled
        if each.rule is not None or each.fate != "scored" or any(each.values.get(name) is None for name in names)
    ]


def scenarios(
    plan: AnalysisPlan, settled: Sequence[Settled], missing: Sequence[Settled] | None = None
) -> tuple[Scenario, ...]:
    """Judge once an arm, with what is missing filled in against it. Nothing missing, or too many trials: nothing.

    The worst yes-or-no is no, the worst amount the largest that any trial showed or its limit, the best the smallest
    seen. That ranks costs, times and counts of effort; an amount of which more is better is turned the wrong way, and
    every value filled in is an extreme, so these are bounds and not estimates. ``missing`` are the trials that ``touched``
    gives, where they are known.
    """
    names = read_names(plan)
    missing = touched(settled, names) if missing is None else missing
    if not missing or len(settled) > MOST_TRIALS:
        return ()
    worst, best = _extremes(settled, names)
    filled = {each.row.trial.id for each in missing}
    return tuple(_scenario(plan, settled, filled, arm, worst, best) for arm in plan.arms)


def read_names(plan: AnalysisPlan) -> tuple[str, ...]:
    """Give what the endpoints of the decision read of a trial, without repetition."""
    decisive = {name.partition(".")[0] for text in plan.decision.supported_when for name in reads(tree(text))}
    found: dict[str, None] = {}
    for each in plan.endpoints:
        if each.name.partition(".")[0] not in decisive:
            continue
        for name in reads(tree(each.per_arm)) if each.per_arm is not None else (each.measure,):
            if name is not None:
                found[name] = None
    return tuple(found)


def _scenario(
    plan: AnalysisPlan,
    settled: Sequence[Settled],
    missing: set[str],
    arm: str,
    worst: Mapping[str, Fact],
    best: Mapping[str, Fact],
) -> Scenario:
    filled = [
        _filled(each, worst if each.row.trial.arm == arm else best) if each.row.trial.id in missing else each
        for each in settled
    ]
    weighed = weigh(plan, population(plan, filled))
    return Scenario(against=arm, status=weighed.decided.status, endpoints=weighed.endpoints)


def _filled(each: Settled, extremes: Mapping[str, Fact]) -> Settled:
    """Fill a trial in. An amount that its limit bounds is never better than the limit where it is the worst.

    What was measured stays where no rule spoke of this trial: where it lacks one amount only, or was left out with its pair.
    """
    measured = each.rule is None if each.fate == "scored" else each.fate == "excluded" and each.exclude is None
    kept = {name for name in extremes if measured and each.values.get(name) is not None}
    values = {**each.values, **{name: worst for name, worst in extremes.items() if name not in kept}}
    return replace(each, values=values, fate="scored", rule=None, why="", exclude=None)


def _extremes(settled: Sequence[Settled], names: Sequence[str]) -> tuple[dict[str, Fact], dict[str, Fact]]:
    worst: dict[str, Fact] = {}
    best: dict[str, Fact] = {}
    for name in names:
        known = list(_known(settled, name))
        if any(isinstance(each, bool) for each in known):
            worst[name], best[name] = False, True
            continue
        amounts = [each for each in known if isinstance(each, Fraction)]
        limits = [each for each in _known(settled, f"limits.{name}") if isinstance(each, Fraction)]
        if amounts:
            worst[name], best[name] = max([*amounts, *limits]), min(amounts)
    return worst, best


def _known(settled: Sequence[Settled], name: str) -> Iterator[Fact]:
    return (found for each in settled if (found := each.values.get(name)) is not None)
