"""Operating characteristics: many played experiments of one world, counted."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import fsum, isfinite, sqrt
from statistics import median

from analyzer.rehearsal import Played
from compiler.operating import Condition, Coverage, Scenario, Spend, rate
from compiler.plan import AnalysisPlan, EndpointPlan
from compiler.simulation import Profile
from compiler.worlds import World
from ledger.codec import to_plain
from ledger.plain import Plain

_CENTS = Decimal("0.0001")


def scenario(plan: AnalysisPlan, world: World, played: Sequence[Played]) -> Scenario:
    """Count what the experiments of a world came to; their order does not matter but for the last bits of sums, so it is fixed."""
    n = len(played)
    statuses = [each.status for each in played]
    texts = (*plan.decision.decidable_when, *plan.decision.supported_when)
    blank = frozenset.intersection(*(each.blank for each in played)) if played else frozenset()
    return Scenario(
        name=world.name,
        kind=world.kind,
        claim=world.claim,
        says=world.says,
        share=world.share,
        experiments=n,
        arms={arm: _plain(profile) for arm, profile in sorted(world.profiles.items())},
        supported=rate(statuses.count("supported"), n),
        not_supported=rate(statuses.count("not_supported"), n),
        no_verdict=rate(statuses.count("no_verdict"), n),
        conditions=tuple(
            Condition(
                text=text,
                holds=sum(each.holds[place] is True for each in played),
                fails=sum(each.holds[place] is False for each in played),
                unknown=sum(each.holds[place] is None for each in played),
            )
            for place, text in enumerate(texts)
        ),
        coverage=tuple(_coverage(plan, key, played) for key in _keys(plan, played)),
        spend=_spend(played),
        blank=tuple(sorted(blank)),
    )


def _keys(plan: AnalysisPlan, played: Sequence[Played]) -> list[tuple[str, str]]:
    found = {key for each in played for key in each.measured}
    order = {each.name: place for place, each in enumerate(plan.endpoints)}
    return sorted(found, key=lambda key: (order[key[0]], key[1]))


def _coverage(plan: AnalysisPlan, key: tuple[str, str], played: Sequence[Played]) -> Coverage:
    endpoint = next(each for each in plan.endpoints if each.name == key[0])
    assert endpoint.interval is not None
    measured = [each.measured[key] for each in played if key in each.measured]
    values = [value for each in measured for value in each.values]
    truth, error = _truth(endpoint, values)
    intervals = [each.ends for each in measured if each.ends is not None]
    # An end that is the truth but for the rounding of a sum covers it.
    near = 1e-9 * max(1.0, abs(truth)) if truth is not None else 0.0
    below = sum(truth is not None and upper < truth - near for _, upper in intervals)
    above = sum(truth is not None and lower > truth + near for lower, _ in intervals)
    known = len(intervals) if truth is not None else 0
    return Coverage(
        endpoint=endpoint.name,
        arm=key[1],
        interval=endpoint.interval.kind,
        level=Decimal(str(endpoint.interval.options.get("level", "0.95"))),
        unit=endpoint.unit,
        truth=_decimal(truth),
        truth_error=_decimal(error),
        covered=rate(known - below - above, known),
        below=below,
        above=above,
        none=len(played) - len(intervals),
    )


def _truth(endpoint: EndpointPlan, values: Sequence[float]) -> tuple[float | None, float | None]:
    """Take the truth of an interval from the tasks of all experiments, with its standard error.

    A mean and its error are the usual ones. A median's error is half the distance of the order statistics √n/2 to either side.
    Hodges-Lehmann's interval is of the pseudomedian, the median of means of two independent tasks.
    """
    if len(values) < 2:
        return None, None
    hodges = endpoint.interval is not None and endpoint.interval.kind == "hodges-lehmann"
    if not hodges and endpoint.statistic != "median":
        centre = fsum(values) / len(values)
        return centre, sqrt(fsum((each - centre) ** 2 for each in values) / (len(values) - 1) / len(values))
    ordered = sorted(_means_of_two(values) if hodges else values)
    n, step = len(ordered), round(sqrt(len(ordered)) / 2)
    low, high = ordered[max(0, n // 2 - step)], ordered[min(n - 1, n // 2 + step)]
    return median(ordered), (high - low) / 2


def _means_of_two(values: Sequence[float]) -> list[float]:
    half = len(values) // 2
    return [(first + second) / 2 for first, second in zip(values[:half], values[half:], strict=False)]


def _spend(played: Sequence[Played]) -> Spend:
    n = max(1, len(played))
    bounds = [each.most_usd for each in played if each.most_usd is not None]
    return Spend(
        known_usd=_mean([each.known_usd for each in played], n),
        attempts=_mean([each.attempts for each in played], n),
        unknown=_mean([each.unknown for each in played], n),
        most_usd=_mean(bounds, n) if len(bounds) == len(played) else None,
    )


def _mean(values: Sequence[float], n: int) -> Decimal:
    return Decimal(fsum(values) / n).quantize(_CENTS).normalize() + 0


def _decimal(value: float | None) -> Decimal | None:
    """Write a number with six digits that matter: the last bits of a machine's sums are not part of the result."""
    if value is None:
        return None
    assert isfinite(value)
    return Decimal(f"{value:.6g}") + 0


def _plain(profile: Profile) -> Plain:
    told = to_plain(profile)
    assert isinstance(told, Mapping)
    return {key: value for key, value in told.items() if value is not None}
