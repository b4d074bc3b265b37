"""How much a seeded interval owes to its seed: the exact law beside it, and what another seed could have printed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, cast

from analyzer.pairing import Pairing, pairs_of
from analyzer.reading import tree, value
from analyzer.verdict import Condition, Estimate
from compiler.plan import EndpointPlan
from spec_lang.expr.ast import reads
from stats.bootstrap import Statistic, acceleration_of, bca_interval, ideal_law, percentile_interval
from stats.law import Law, Quantile
from stats.number import StatError, exact
from stats.seed_noise import bca_bands, percentile_bands

MOST_TASKS = 1000
"""Beyond so many tasks the law of a mean takes seconds to list."""

Ends = tuple[float, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Fragility:
    """One seeded interval: as its seed printed it, and as infinitely many resamples would.

    ``lower`` and ``upper`` are bands in which each end falls under all but seven seeds in a million. ``flips`` are the
    conditions that another seed could turn. ``why`` says why there is no law.
    """

    endpoint: str
    unit: str
    n: int
    seeded: Ends
    ideal: Ends | None = None
    lower: Ends | None = None
    upper: Ends | None = None
    flips: tuple[str, ...] = ()
    why: str = ""

    @property
    def fragile(self) -> bool:
        """Whether other seeds may print another end."""
        return any(band is not None and band[0] != band[1] for band in (self.lower, self.upper))


def fragility(
    endpoint: EndpointPlan, pairing: Pairing, estimate: Estimate, conditions: Sequence[Condition]
) -> Fragility | None:
    """Weigh one endpoint's seeded interval; None where it has none, or where it could not be computed."""
    chosen = endpoint.interval
    lower, upper = estimate.values.get("lower"), estimate.values.get("upper")
    if chosen is None or not chosen.kind.startswith("bootstrap-") or chosen.options.get("resamples") is None:
        return None
    if not isinstance(lower, int | float) or not isinstance(upper, int | float):
        return None
    pairs = pairs_of(pairing, endpoint.statistic or "mean")
    found = Fragility(
        endpoint=endpoint.name, unit=estimate.unit, n=len(pairs.differences), seeded=(float(lower), float(upper))
    )
    try:
        return _weighed(found, endpoint, pairs.differences, conditions)
    except StatError as problem:
        return _bare(found, str(problem))


def _weighed(
    found: Fragility, endpoint: EndpointPlan, values: Sequence[Fraction], conditions: Sequence[Condition]
) -> Fragility:
    assert endpoint.interval is not None
    options: Mapping[str, Any] = endpoint.interval.options
    if len(values) > MOST_TASKS:
        raise StatError(f"more than {MOST_TASKS} tasks")
    statistic = cast("Statistic", endpoint.statistic or "mean")
    rule = cast("Quantile", str(options.get("quantile", "inverted-cdf")).replace("-", "_"))
    if rule == "linear":
        raise StatError("linear quantiles interpolate between replicates, so infinitely many have none")
    level, resamples = exact(options.get("level", "0.95")), int(options["resamples"])
    law: Law = ideal_law(values, statistic)
    if endpoint.interval.kind == "bootstrap-percentile":
        interval = percentile_interval(law, level=level, quantile_rule=rule)
        low, high = percentile_bands(law, level=level, resamples=resamples)
    else:
        ties, pull = options.get("ties", "mid"), acceleration_of(values, statistic)
        interval = bca_interval(law, pull, level=level, ties=ties, quantile_rule=rule)
        low, high = bca_bands(law, pull, level=level, ties=ties, resamples=resamples)
    if interval.lo is None or interval.hi is None:
        raise StatError(interval.reason or "the law has no interval")
    return Fragility(
        endpoint=found.endpoint,
        unit=found.unit,
        n=found.n,
        seeded=found.seeded,
        ideal=(interval.lo, interval.hi),
        lower=low,
        upper=high,
        flips=tuple(_flips(endpoint.name, low, high, conditions)),
    )


def _flips(name: str, low: Ends, high: Ends, conditions: Sequence[Condition]) -> Iterator[str]:
    """Name the conditions whose answer differs anywhere among the ends that seeds may print."""
    ends = {f"{name}.lower": low, f"{name}.upper": high}
    for each in conditions:
        node = tree(each.text)
        read = [key for key in reads(node) if key in ends]
        if not read or each.holds is None:
            continue
        for choice in product(*(ends[key] for key in read)):
            known = {**each.values, **dict(zip(read, choice, strict=True))}
            if value(node, {key: None if it is None else exact(it) for key, it in known.items()}) is not each.holds:
                yield each.text
                break


def _bare(found: Fragility, why: str) -> Fragility:
    return Fragility(endpoint=found.endpoint, unit=found.unit, n=found.n, seeded=found.seeded, why=why)
