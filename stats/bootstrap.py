"""Bootstrap intervals over tasks: percentile and BCa, seeded or ideal (B = infinity), with stated tie and quantile rules."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, sqrt
from types import MappingProxyType
from typing import Literal

from stats.ideal import mean_law, median_law
from stats.law import Lattice, Law, Quantile, lattice
from stats.normal import below, quantile
from stats.number import Exact, Readable, StatError, double, finite, open_unit

Statistic = Literal["mean", "median"]
Method = Literal["percentile", "bca"]
Ties = Literal["mid", "strict"]

_BEYOND = Fraction(1, 10**300)
"""A share of replicates nearer to 0 or 1 than this has no normal quantile in doubles."""

FEW = 3
"""Up to so many distinct values a mean is resampled by counting; -1, 0 and 1 of paired proportions are three."""

BITS: Mapping[Statistic, int] = MappingProxyType({"mean": 512, "median": 4096})
"""Size of a common denominator up to which values are kept exactly; sums cost time per bit, medians do not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BootstrapInterval:
    """An interval in the unit of the data.

    ``lo`` and ``hi`` are None when the interval is undefined, with the ``reason``. ``degenerate``: every resample gives the
    same value, so the width of nothing says nothing. ``exact``: no rounding before the end points were picked (z0 and the
    adjusted levels of BCa are doubles). ``z0``, ``a``, ``alpha_lo``, ``alpha_hi`` belong to BCa.
    """

    estimate: float
    lo: float | None
    hi: float | None
    degenerate: bool
    exact: bool
    reason: str | None = None
    z0: float | None = None
    a: float | None = None
    alpha_lo: float | None = None
    alpha_hi: float | None = None


def bootstrap(
    values: Sequence[Exact],
    *,
    statistic: Statistic,
    method: Method,
    level: Readable,
    resamples: int | None,
    seed: int = 0,
    ties: Ties = "mid",
    quantile_rule: Quantile = "inverted_cdf",
) -> BootstrapInterval:
    """Bootstrap interval of the mean or median of per-task values; whole tasks are resampled.

    Assumes independent tasks. ``percentile`` (Efron 1979) takes the quantiles of the replicates at (1 ± level)/2. ``bca``
    (Efron 1987) shifts them by z0 and the jackknife acceleration a (0 where the jackknife does not vary). ``ties`` says how
    replicates equal to the estimate count in z0: ``mid`` half, which mirrors when the arms are swapped; ``strict`` not at all
    (R's boot), which does not. Ties are counted in exact arithmetic.

    ``resamples`` None asks for the ideal law (B = infinity), which has no seed. A seeded interval draws from
    ``stats.stream.ALGORITHM``. For paired proportions with few pairs both cover badly; prefer ``newcombe_paired``.

    Raises:
        StatError: no values, inexact values, an unknown word, a level outside 0 … 1, or no ideal law for so fine a lattice.
    """
    numbers = finite(values)
    if resamples is None and quantile_rule == "linear":
        raise StatError("linear quantiles interpolate between replicates; the ideal law has none")
    law = (
        ideal_law(numbers, statistic)
        if resamples is None
        else seeded_law(numbers, statistic, resamples=resamples, seed=seed)
    )
    if method == "percentile":
        return percentile_interval(law, level=level, quantile_rule=quantile_rule)
    if method != "bca":
        raise StatError(f"method must be percentile or bca, not {method!r}")
    return bca_interval(law, acceleration_of(numbers, statistic), level=level, ties=ties, quantile_rule=quantile_rule)


def seeded_law(values: Sequence[Fraction], statistic: Statistic, *, resamples: int, seed: int) -> Law:
    """The seeded replicates of a statistic. Tasks are put in ascending order first, so their order and names cannot matter.

    Raises:
        StatError: an unknown statistic, a negative seed, or fewer than one resample.
    """
    from stats.replicates import (  # noqa: PLC0415 - numpy is loaded to resample only
        few_valued_mean_replicates,
        mean_replicates,
        median_replicates,
    )
    from stats.stream import counts_below, resample_indices  # noqa: PLC0415

    _check_statistic(statistic)
    grid = lattice(values, bits=BITS[statistic])
    ascending = Lattice(points=tuple(sorted(grid.points)), unit=grid.unit, exact=grid.exact)
    points = sorted(set(ascending.points))
    narrow = len(values) * (points[-1] - points[0]) < 1 << 62
    if statistic == "mean" and grid.exact and narrow and 2 <= len(points) <= FEW:
        bounds = [bisect_right(ascending.points, point) for point in points[:-1]]
        below = counts_below(len(values), bounds, resamples=resamples, seed=seed)
        return few_valued_mean_replicates(points, ascending, below)
    blocks = resample_indices(len(values), resamples=resamples, seed=seed)
    return (mean_replicates if statistic == "mean" else median_replicates)(ascending, blocks)


def ideal_law(values: Sequence[Fraction], statistic: Statistic) -> Law:
    """The law that seeded replicates approach as B grows.

    Raises:
        StatError: an unknown statistic, or a mean whose sums lie on too fine a lattice to list.
    """
    _check_statistic(statistic)
    law = mean_law(values) if statistic == "mean" else median_law(values)
    if law is None:
        raise StatError("no ideal law: the values have no coarse common unit, so the sums are too many to list")
    return law


def percentile_interval(law: Law, *, level: Readable, quantile_rule: Quantile) -> BootstrapInterval:
    """Quantiles of a law at (1 ± level)/2.

    Raises:
        StatError: a level outside 0 … 1, or an unknown quantile rule.
    """
    tail = (1 - open_unit(level, "level")) / 2
    return BootstrapInterval(
        estimate=double(law.estimate),
        lo=double(law.quantile(tail, quantile_rule)),
        hi=double(law.quantile(1 - tail, quantile_rule)),
        degenerate=len(law.values) == 1,
        exact=law.exact,
    )


def bca_interval(
    law: Law, acceleration: float, *, level: Readable, ties: Ties, quantile_rule: Quantile
) -> BootstrapInterval:
    """Bias-corrected and accelerated interval from a law; undefined (``reason``) when z0 is infinite.

    Raises:
        StatError: a level outside 0 … 1, or an unknown tie or quantile rule.
    """
    tail = (1 - open_unit(level, "level")) / 2
    if ties not in ("mid", "strict"):
        raise StatError(f"ties must be mid or strict, not {ties!r}")
    estimate, degenerate = double(law.estimate), len(law.values) == 1
    share = law.share_below() + (law.share_tied() / 2 if ties == "mid" else 0)
    if min(share, 1 - share) < _BEYOND:
        return BootstrapInterval(
            estimate=estimate,
            lo=None,
            hi=None,
            degenerate=degenerate,
            exact=law.exact,
            reason="z0 infinite",
            a=acceleration,
        )
    z0 = quantile(share)
    alpha_lo = adjusted_level(z0, acceleration, quantile(tail))
    alpha_hi = adjusted_level(z0, acceleration, quantile(1 - tail))
    return BootstrapInterval(
        estimate=estimate,
        lo=double(law.quantile(Fraction(alpha_lo), quantile_rule)),
        hi=double(law.quantile(Fraction(alpha_hi), quantile_rule)),
        degenerate=degenerate,
        exact=law.exact,
        z0=z0,
        a=acceleration,
        alpha_lo=alpha_lo,
        alpha_hi=alpha_hi,
    )


def adjusted_level(z0: float, a: float, z: float) -> float:
    """BCa's level in place of the one at normal quantile ``z``: Phi(z0 + (z0 + z)/(1 - a·(z0 + z)))."""
    shifted = z0 + z
    room = 1 - a * shifted
    if room <= 0:  # the shift has run past the end of the law
        return 1.0 if shifted > 0 else 0.0
    return below(z0 + shifted / room)


def jackknife_acceleration(leave_one_out: Iterable[tuple[int, int]]) -> float:
    """The acceleration a = sum(u³) / (6·sum(u²)^1.5), u = mean - value, from (leave-one-out value, how often); 0 without spread.

    Values are points of a lattice; its unit cancels.
    """
    groups = list(leave_one_out)
    n = sum(times for _, times in groups)
    total = sum(value * times for value, times in groups)
    gaps = [(total - n * value, times) for value, times in groups]
    largest = max((abs(gap) for gap, _ in gaps), default=0)
    if largest == 0:
        return 0.0
    scaled = [(gap / largest, times) for gap, times in gaps]  # so nothing can overflow
    squares, cubes = fsum(times * gap**2 for gap, times in scaled), fsum(times * gap**3 for gap, times in scaled)
    return cubes / (6 * squares * sqrt(squares))


def acceleration_of(values: Sequence[Fraction], statistic: Statistic) -> float:
    """BCa's acceleration of a statistic, from its leave-one-out values."""
    points = sorted(lattice(values, bits=BITS[statistic]).points)
    n, m = len(points), len(points) // 2
    if n == 1:
        return 0.0
    if statistic == "mean":
        return jackknife_acceleration(
            (-point, times) for point, times in Counter(points).items()
        )  # (total - point)/(n - 1)
    if n % 2 == 0:
        return jackknife_acceleration([(points[m], m), (points[m - 1], m)])
    low, middle, high = points[m - 1 : m + 2]
    return jackknife_acceleration([(middle + high, m), (low + high, 1), (low + middle, m)])  # twice the medians


def _check_statistic(statistic: str) -> None:
    if statistic not in ("mean", "median"):
        raise StatError(f"statistic must be mean or median, not {statistic!r}")
