"""How many tasks a wanted power needs: by the registered formula and by simulation, with the spread's uncertainty carried through."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Literal

from analyzer.rehearsal import Played
from compiler.operating import Rate, rate
from compiler.plan import AnalysisPlan, EndpointPlan
from stats.deviation import Deviation
from stats.number import StatError
from stats.sample_size import detectable_wilcoxon, sample_size_wilcoxon
from stats.signed_rank import smallest_n_for

Which = Literal["estimate", "lower", "upper"]
WHICH: tuple[Which, ...] = ("estimate", "lower", "upper")

FACTORS: Mapping[Which, tuple[float, ...]] = {
    "estimate": (0.5, 0.75, 1, 1.5, 2),
    "lower": (0.75, 1, 1.5),
    "upper": (0.75, 1, 1.5),
}
"""Where power is simulated: multiples of the formula's number of tasks, for the spread and for each end of its interval."""

FEWEST, MOST = 2, 2000


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """What is wanted: to see an effect (share of the control's value, above 0) on an endpoint with a power at a one-sided alpha."""

    endpoint: str
    effect: Decimal
    alpha: Decimal
    power: Decimal


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """The simulated power of the registered rule with so many tasks, and the condition that failed most often."""

    tasks: int
    supported: Rate
    weakest: str
    weakest_holds: Rate


@dataclass(frozen=True, kw_only=True, slots=True)
class Sized:
    """Tasks for one spread: by formula, by simulation (None with the reason), and the points of the simulation."""

    which: Which
    sigma: float
    formula: int | None
    simulated: int | None
    reason: str
    points: tuple[Point, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Detectable:
    """The smallest effect that so many tasks show with the wanted power: as the formula gives it, and capped at what can be.

    Both are None where so few tasks show no effect of any size.
    """

    tasks: int
    effect: float | None
    capped: float | None
    words: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Powered:
    """How large the next run has to be. ``level`` is that of the interval of sigma, None where sigma is assumed."""

    source: str
    wanted: Wanted
    sigma: Deviation
    level: Decimal | None
    sized: tuple[Sized, ...]
    detectable: Detectable | None
    floor: int
    words: tuple[str, ...]
    note: str = ""


def formula(wanted: Wanted, sigma: float | None) -> int | None:
    """Give the number of tasks by the registered formula; None for a spread of nothing, or one that is not known."""
    if not sigma:
        return None
    try:
        return sample_size_wilcoxon(
            sigma=sigma,
            delta=wanted.effect,
            alpha_one_sided=wanted.alpha,
            power=wanted.power,
            constants="exact",
        ).n
    except StatError:
        return None


def sizes_to_try(which: Which, n: int | None, *, least: int = FEWEST) -> tuple[int, ...]:
    """Give the numbers of tasks for which power is simulated, ascending: none below ``least``, and never that one alone."""
    if n is None:
        return ()
    sizes = {min(MOST, max(FEWEST, least, ceil(n * factor))) for factor in FACTORS[which]}
    return tuple(sorted(sizes | {2 * least} if sizes == {least} else sizes))


def point(plan: AnalysisPlan, tasks: int, played: Sequence[Played]) -> Point:
    """Count the experiments of one size."""
    texts = (*plan.decision.decidable_when, *plan.decision.supported_when)
    held = [sum(each.holds[place] is True for each in played) for place in range(len(texts))]
    weakest = min(range(len(texts)), key=lambda place: (held[place], place))
    supported = sum(each.status == "supported" for each in played)
    return Point(
        tasks=tasks,
        supported=rate(supported, len(played)),
        weakest=texts[weakest],
        weakest_holds=rate(held[weakest], len(played)),
    )


def crossing(points: Sequence[Point], power: Decimal, by_formula: int | None = None) -> tuple[int | None, str]:
    """Find the number of tasks at which the power is reached, between the sizes that were tried; else say why not.

    ``by_formula`` is what the formula asks for, which may be more than is ever tried.
    """
    if not points:
        return None, "it was not simulated"
    before: Point | None = None
    wanted = Fraction(power)
    for each in points:
        share = _share(each)
        if share >= wanted:
            if before is None:
                return each.tasks, f"at most: {each.tasks} tasks are the fewest that were tried"
            low, span = _share(before), share - _share(before)
            part = (wanted - low) / span if span else Fraction(1)
            return before.tasks + ceil((each.tasks - before.tasks) * part), ""
        before = each
    last = points[-1]
    if by_formula is not None and by_formula > MOST:
        return (
            None,
            f"{last.tasks} tasks, the most that are tried, reach {float(_share(last)):.2f}; the formula asks for more",
        )
    more = (
        "and the power still rises: more tasks than were tried may do"
        if _rises(points)
        else "and more tasks need not help"
    )
    return None, (
        f"{last.tasks} tasks reach {float(_share(last)):.2f}; `{last.weakest}` holds in {float(last.weakest_holds.rate or 0):.2f} "
        f"of the experiments only, {more}"
    )


def _rises(points: Sequence[Point]) -> bool:
    """Say whether the last size has more power than the one before it by two standard errors."""
    if len(points) < 2:
        return False
    before, last = points[-2:]
    return _share(last) - _share(before) > 2 * Fraction(last.supported.error or 0)


def _share(each: Point) -> Fraction:
    return Fraction(each.supported.count, max(1, each.supported.of))


def detectable(wanted: Wanted, sigma: float, tasks: int, endpoint: EndpointPlan, *, lowers: bool) -> Detectable | None:
    """Give the smallest effect that so many tasks show; none is more than all of what there is, and the words say so.

    ``lowers``: the effect is a fall, in per cent of the control; else a difference in solved tasks, in points.
    """
    if not sigma or tasks < 1:
        return None
    count, unit, least = "1 task" if tasks == 1 else f"{tasks} tasks", "%" if lowers else "pp", floor(wanted.alpha)
    if tasks < least:
        words = f"no effect of any size is seen in {count}: fewer than {least} reach no p < {wanted.alpha:f} in an exact one-sided test"
        return Detectable(tasks=tasks, effect=None, capped=None, words=words)
    effect = detectable_wilcoxon(sigma=sigma, n=tasks, alpha_one_sided=wanted.alpha, power=wanted.power)
    chance = f"{float(wanted.power) * 100:g} % of such runs"
    if effect >= 1:
        what = "saving" if lowers else "difference in solved tasks"
        words = (
            f"{count} with this spread cannot show any {what} with that power: not even one of 100 {unit}, in {chance}"
        )
    else:
        change = (
            f"a change of {endpoint.name} by {effect * 100:{'.0f' if effect >= 0.01 else '.2g'}} {unit} in {chance}"
        )
        words = f"{count} with this spread show {change}; a smaller one may be there and stay unseen"
    return Detectable(tasks=tasks, effect=effect, capped=min(1.0, effect), words=words)


def floor(alpha: Decimal) -> int:
    """Give the fewest tasks with which an exact one-sided test can reach p < alpha at all."""
    return smallest_n_for(Fraction(alpha), two_sided=False)
