"""From a pilot's trials to profiles of the sampler: medians, spreads, shares, and how alike the trials of one task are."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import fsum, log, sqrt
from statistics import median

from analyzer.evidence import evidence
from analyzer.frame import Frame, Row, said_arms
from analyzer.pairing import pair
from analyzer.population import pools, tabulate, under
from analyzer.simulated_ledger import Stage, ledger
from compiler.plan import AnalysisPlan
from compiler.simulation import Lognormal, Profile

_SHARED = 0.9**2
"""Part of a cost's logarithm that follows the effort of its attempt in the sampler (its correlation of 0.9, squared)."""
_PLACES = Decimal("0.000001")

SCALABLE = ("cost", "time", "turns", "tool_calls")
"""Measures that the sampler draws around a median."""


def profile_of(framed: Frame, arm: str) -> Profile | None:
    """Fit one arm's profile to what was run; None where it has no outcome. An amount that is nowhere known is left out."""
    rows = [row for row in framed.rows if row.trial.arm == arm]
    ended = [row for row in rows if row.outcome is not None]
    if not ended:
        return None
    attempts, lost = sum(row.attempts for row in rows), sum(len(row.lost) for row in rows)
    late = [row for row in ended if row.facts.get("stop") == "timeout"]
    timely = [row for row in ended if row.facts.get("stop") != "timeout"] or ended
    solved = sum(row.facts.get("verdict") == "pass" for row in timely)
    cost = _lognormal(_known(timely, "cost"))
    time = _lognormal(_known(timely, "time"))
    return Profile(
        solve=_share(solved, len(timely)),
        cost=cost,
        time=time or Lognormal(median=Decimal(1)),
        turns=_count(_known(timely, "turns")),
        tool_calls=_count(_known(timely, "tool_calls")),
        harness_failure=_share(lost, max(1, attempts)),
        timeout=_share(len(late), len(ended)),
        within_task=_alike(timely),
    )


def like_the_control(plan: AnalysisPlan, framed: Frame, control: str) -> dict[str, Profile] | None:
    """Give every arm the profile of the control, at its own level where there are levels; None where that has no outcome."""
    said = said_arms(plan)
    own = {arm: level[said.get(control, control)] for level in plan.levels.values() for arm in level.values()}
    found = {arm: profile_of(framed, own.get(arm, control)) for arm in plan.arms}
    known = {arm: each for arm, each in found.items() if each is not None}
    return known if len(known) == len(found) else None


def at_every_level(plan: AnalysisPlan, arm: str) -> tuple[str, ...]:
    """Give an arm at every level, whether it is named as the spec does or at one of them; itself without levels."""
    said = said_arms(plan).get(arm, arm)
    return pools(plan).get(said, (said,))


def differences(
    ready: Stage, profiles: Mapping[str, Profile], endpoint: str, *, seed: int
) -> tuple[Fraction, ...] | None:
    """Draw one experiment and give its per-task differences of an endpoint; None where all of them are unknown.

    A task that is lost in the draw, as one of hundreds may be, says nothing of the spread of the others.
    """
    plan = ready.plan
    known = evidence(plan, ledger(ready, profiles, seed), ready.trials, rules=ready.rules)
    found = next(each for each in plan.endpoints if each.name == endpoint)
    assert found.compare is not None
    paired = pair(tabulate(under(known.everyone, found.where), found), found.compare)
    return tuple(each.difference for each in paired.complete if each.difference is not None) or None


def calibrated(
    profiles: Callable[[Decimal], Mapping[str, Profile]],
    spread: Callable[[Mapping[str, Profile]], float],
    target: float,
) -> Decimal:
    """Find the factor on the spread of the trials that gives per-task differences of a wanted standard deviation.

    Bisection over factors 1/16 … 16; the spread of the differences grows with the factor.
    """
    low, high = -4.0, 4.0
    for _ in range(14):
        middle = (low + high) / 2
        if spread(profiles(_factor(middle))) < target:
            low = middle
        else:
            high = middle
    return _factor((low + high) / 2)


def spread_by(profile: Profile, factor: Decimal) -> Profile:
    """Multiply the spreads of a profile's amounts."""
    cost = None if profile.cost is None else replace(profile.cost, spread=_rounded(profile.cost.spread * factor))
    return replace(profile, cost=cost, time=replace(profile.time, spread=_rounded(profile.time.spread * factor)))


def moved(profile: Profile, measure: str, effect: Decimal, *, solves: bool) -> Profile | None:
    """Move what an endpoint measures by an effect (a share, signed); None where the sampler does not draw it."""
    if solves:
        return replace(profile, solve=min(Decimal(1), max(Decimal(0), profile.solve + effect)))
    factor = 1 + effect
    if factor <= 0 or measure not in SCALABLE:
        return None
    if measure == "cost":
        return None if profile.cost is None else replace(profile, cost=_times(profile.cost, factor))
    if measure == "time":
        return replace(profile, time=_times(profile.time, factor))
    if measure == "turns":
        return replace(profile, turns=max(1, round(profile.turns * factor))) if profile.turns else None
    return replace(profile, tool_calls=max(1, round(profile.tool_calls * factor))) if profile.tool_calls else None


def apart(own: Profile, control: Profile, measure: str, effect: Decimal, *, solves: bool) -> Profile | None:
    """Give an arm's own profile but for what an endpoint measures, which is the control's, moved by an effect."""
    changed = moved(control, measure, effect, solves=solves)
    if changed is None:
        return None
    if solves:
        return replace(own, solve=changed.solve)
    if measure in ("turns", "tool_calls"):
        return replace(own, turns=changed.turns) if measure == "turns" else replace(own, tool_calls=changed.tool_calls)
    if measure == "time":
        return replace(own, time=replace(own.time, median=changed.time.median))
    assert changed.cost is not None
    return replace(own, cost=replace(own.cost or changed.cost, median=changed.cost.median))


def _times(amount: Lognormal, factor: Decimal) -> Lognormal:
    return replace(amount, median=_rounded(amount.median * factor))


def _known(rows: Sequence[Row], name: str) -> list[float]:
    values = [row.facts.get(name) for row in rows]
    return [float(each) for each in values if isinstance(each, Fraction) and each > 0]


def _lognormal(values: Sequence[float]) -> Lognormal | None:
    if not values:
        return None
    logs = [log(each) for each in values]
    return Lognormal(median=_rounded(Decimal(median(values))), spread=_rounded(Decimal(_deviation(logs))))


def _count(values: Sequence[float]) -> int | None:
    return max(1, round(median(values))) if values else None


def _deviation(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    centre = fsum(values) / len(values)
    return sqrt(fsum((each - centre) ** 2 for each in values) / (len(values) - 1))


def _alike(rows: Sequence[Row]) -> Decimal:
    """Estimate the correlation within a task from the logarithms of cost (else time): one-way analysis of variance.

    One seed a task cannot tell; then the sampler's usual one half stands.
    """
    name = "cost" if _known(rows, "cost") else "time"
    tasks: dict[str, list[float]] = {}
    for row in rows:
        value = row.facts.get(name)
        if isinstance(value, Fraction) and value > 0:
            tasks.setdefault(row.trial.task, []).append(log(float(value)))
    groups = [each for each in tasks.values() if len(each) > 1]
    if len(groups) < 2:
        return Decimal("0.5")
    size = fsum(len(each) for each in groups) / len(groups)
    within = fsum(_deviation(each) ** 2 * (len(each) - 1) for each in groups) / fsum(len(each) - 1 for each in groups)
    between = size * _deviation([fsum(each) / len(each) for each in groups]) ** 2
    if between + (size - 1) * within <= 0:
        return Decimal("0.5")
    alike = (between - within) / (between + (size - 1) * within) / _SHARED
    return _rounded(Decimal(min(1.0, max(0.0, alike))))


def _share(count: int, of: int) -> Decimal:
    return _rounded(Decimal(count) / of)


def _factor(power: float) -> Decimal:
    return _rounded(Decimal(2.0**power))


def _rounded(number: Decimal) -> Decimal:
    return number.quantize(_PLACES).normalize() + 0
