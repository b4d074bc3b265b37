"""How much a seeded interval owes to its seed: the exact law beside it, and what another seed could have printed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, cast

from analyzer.pairing import Pairing, pairs_of
from analyzer.reading import tree, value
from analyzer.verdict import Condition, Estimate
from compiler.plan import Chosen, EndpointPlan
from spec_lang.expr.ast import reads
from stats.bootstrap import Statistic, acceleration_of, bca_interval, ideal_law, percentile_interval, seeded_law
from stats.law import Law
from stats.number import StatError, exact
from stats.seed_noise import bca_bands, percentile_bands

MOST_TASKS = 1000
"""Beyond so many tasks the law of a mean takes seconds to list."""

Ends = tuple[float, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Fragility:
    """One seeded interval: as its seed printed it, and as infinitely many resamples would.

    ``lower`` and ``upper`` are bands in which each end falls under all but seven seeds in a million. ``flips`` are the
    conditions that another seed could turn. ``why`` says why there is no exact law; the bands are then those of the seeded
    resamples themselves. ``level`` is that of a breakdown, empty for the whole endpoint.
    """

    endpoint: str
    unit: str
    differences: tuple[Fraction, ...]
    seeded: Ends
    level: str = ""
    ideal: Ends | None = None
    lower: Ends | None = None
    upper: Ends | None = None
    flips: tuple[str, ...] = ()
    why: str = ""

    @property
    def name(self) -> str:
        """The endpoint, with the level of its breakdown."""
        return f"{self.endpoint} ({self.level})" if self.level else self.endpoint

    @property
    def read_as(self) -> str:
        """What a condition calls it: ``cost``, or ``cost.LEVEL``."""
        return f"{self.endpoint}.{self.level}" if self.level else self.endpoint

    @property
    def fragile(self) -> bool:
        """Whether other seeds may print another end."""
        return any(band is not None and band[0] != band[1] for band in (self.lower, self.upper))


def fragility(
    endpoint: EndpointPlan, pairing: Pairing, estimate: Estimate, conditions: Sequence[Condition], *, level: str = ""
) -> Fragility | None:
    """Weigh one endpoint's seeded interval; None where it has none, or where it could not be computed.

    With a ``level`` it is the interval within that level of a breakdown, and ``pairing`` holds its tasks.
    """
    chosen = endpoint.interval
    values = estimate.by[level] if level else estimate.values
    lower, upper = values.get("lower"), values.get("upper")
    if chosen is None or not chosen.kind.startswith("bootstrap-") or chosen.options.get("resamples") is None:
        return None
    if not isinstance(lower, int | float) or not isinstance(upper, int | float):
        return None
    pairs = pairs_of(pairing, endpoint.statistic or "mean")
    found = Fragility(
        endpoint=endpoint.name,
        unit=estimate.unit,
        differences=pairs.differences,
        seeded=(float(lower), float(upper)),
        level=level,
    )
    if len(pairs.differences) > MOST_TASKS:
        return replace(found, why=f"more than {MOST_TASKS} tasks")
    return _weighed(found, chosen, cast("Statistic", endpoint.statistic or "mean"), conditions)


def _weighed(found: Fragility, chosen: Chosen, statistic: Statistic, conditions: Sequence[Condition]) -> Fragility:
    options: Mapping[str, Any] = chosen.options
    level, resamples = exact(options.get("level", "0.95")), int(options["resamples"])
    law, why = _law(found.differences, statistic, options)
    # Beside the resamples of one seed those of another lie √2 as far as beside the law that both are drawn from.
    noise = resamples if not why else max(1, resamples // 2)
    if chosen.kind == "bootstrap-percentile":
        interval = percentile_interval(law, level=level, quantile_rule="inverted_cdf")
        low, high = percentile_bands(law, level=level, resamples=noise)
    else:
        ties, pull = options.get("ties", "mid"), acceleration_of(found.differences, statistic)
        interval = bca_interval(law, pull, level=level, ties=ties, quantile_rule="inverted_cdf")
        low, high = bca_bands(law, pull, level=level, ties=ties, resamples=noise)
    if interval.lo is None or interval.hi is None:
        return replace(found, why=interval.reason or "the law has no interval")
    return replace(
        found,
        ideal=None if why else (interval.lo, interval.hi),
        lower=low,
        upper=high,
        flips=tuple(_flips(found.read_as, low, high, conditions)),
        why=why,
    )


def _law(values: Sequence[Fraction], statistic: Statistic, options: Mapping[str, Any]) -> tuple[Law, str]:
    """Give the law of infinitely many resamples; where there is none, that of the seeded ones, and why."""
    try:
        if options.get("quantile") != "linear":
            return ideal_law(values, statistic), ""
        why = "linear quantiles interpolate between replicates, so infinitely many have none"
    except StatError as problem:
        why = str(problem)
    seed = int(options.get("seed", 0))
    return seeded_law(values, statistic, resamples=int(options["resamples"]), seed=seed), why


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
