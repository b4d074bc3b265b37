"""Checking a published bootstrap interval: against the ideal law, from its own replicates, or by repeating numpy's stream."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

from stats.bootstrap import (
    BITS,
    BootstrapInterval,
    Statistic,
    Ties,
    acceleration_of,
    bca_interval,
    ideal_law,
    jackknife_acceleration,
    percentile_interval,
)
from stats.law import Law, Quantile, lattice, law_of
from stats.number import Exact, Readable, StatError, count, double, finite
from stats.seed_noise import Band, bca_bands, percentile_bands

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Result = dict[str, Any]

RESAMPLES = 10_000
"""Number of resamples that the bands are for."""

CHUNK = 1 << 20
"""Indices held at a time."""

_MOST_PAIRS = 100_000

_TIES: tuple[Ties, ...] = ("mid", "strict")


def ideal_median(values: Sequence[Exact], *, level: Readable) -> Result:
    """Percentile and BCa interval of the median at B = infinity, with the bands in which a seeded run of 10,000 ends.

    Raises:
        StatError: no values, inexact values, or a level outside 0 … 1.
    """
    return _ideal(finite(values), "median", level)


def ideal_paired_proportion(b: int, c: int, n: int, *, level: Readable) -> Result:
    """The same for the difference of paired proportions: ``b`` of ``n`` pairs favour the treatment, ``c`` the baseline.

    Raises:
        StatError: n = 0, b + c > n, not counts, or a level outside 0 … 1.
    """
    b, c, n = count(b, "b"), count(c, "c"), count(n, "n", most=_MOST_PAIRS)
    if n == 0:
        raise StatError("n = 0")
    if b + c > n:
        raise StatError(f"b + c > n: {b} + {c} of {n}")
    return _ideal((Fraction(1),) * b + (Fraction(-1),) * c + (Fraction(0),) * (n - b - c), "mean", level)


def bootstrap_from_replicates(
    theta_hat: Fraction, theta_star: Sequence[Fraction], jackknife: Sequence[Fraction], *, level: Readable
) -> Result:
    """Both intervals under both tie and quantile rules, from somebody's own replicates and leave-one-out values.

    Raises:
        StatError: no replicates, no leave-one-out values, or a level outside 0 … 1.
    """
    if not jackknife:
        raise StatError("no leave-one-out values")
    denominator = lcm(theta_hat.denominator, *(value.denominator for value in theta_star))
    law = law_of(
        [(int(value * denominator), 1) for value in theta_star],
        unit=Fraction(1, denominator),
        observed=int(theta_hat * denominator),
        exact=True,
    )
    acceleration = jackknife_acceleration((point, 1) for point in lattice(jackknife, bits=BITS["median"]).points)
    result: Result = {"a": acceleration}
    for rule in ("linear", "inverted_cdf"):
        result[f"percentile_{rule}"] = _ends(percentile_interval(law, level=level, quantile_rule=rule))
    for ties in _TIES:
        linear = bca_interval(law, acceleration, level=level, ties=ties, quantile_rule="linear")
        stepped = bca_interval(law, acceleration, level=level, ties=ties, quantile_rule="inverted_cdf")
        levels = {"z0": linear.z0, "alpha_lo": linear.alpha_lo, "alpha_hi": linear.alpha_hi}
        defined = linear.reason is None
        result[f"bca_{ties}"] = {**levels, "linear": _ends(linear), "inverted_cdf": _ends(stepped)} if defined else None
    return result


def bootstrap_seeded_numpy(
    values: Sequence[Exact],
    *,
    statistic: Statistic,
    level: Readable,
    resamples: int,
    seed: int,
    ties: Ties,
    quantile_rule: Quantile,
) -> Result:
    """Both intervals from ``Generator(PCG64(seed)).integers(0, n, size=(resamples, n))``, which scipy draws too.

    numpy does not promise that stream across versions; for numbers of our own see ``stats.stream``.

    Raises:
        StatError: no values, inexact values, no resamples, or a level outside 0 … 1.
    """
    from stats.replicates import mean_replicates, median_replicates  # noqa: PLC0415 - numpy is loaded to resample only

    numbers = finite(values)
    count(resamples, "resamples", most=10_000_000)
    if resamples < 1:
        raise StatError(f"resamples must be at least 1, not {resamples}")
    replicate = mean_replicates if statistic == "mean" else median_replicates
    law = replicate(lattice(numbers, bits=BITS[statistic]), _numpy_blocks(len(numbers), resamples, seed))
    acceleration = acceleration_of(numbers, statistic)
    bca = bca_interval(law, acceleration, level=level, ties=ties, quantile_rule=quantile_rule)
    return {
        "theta_hat": double(law.estimate),
        "percentile": _ends(percentile_interval(law, level=level, quantile_rule=quantile_rule)),
        "bca": _ends(bca) if bca.reason is None else None,
    }


def _numpy_blocks(n: int, resamples: int, seed: int) -> "Iterator[NDArray[np.int64]]":
    import numpy as np  # noqa: PLC0415 - numpy is loaded to resample only

    generator = np.random.Generator(np.random.PCG64(seed))
    rows = max(CHUNK // n, 1)
    for start in range(0, resamples, rows):
        yield generator.integers(0, n, size=(min(rows, resamples - start), n))


def _ideal(values: Sequence[Fraction], statistic: Statistic, level: Readable) -> Result:
    law = ideal_law(values, statistic)
    percentile = percentile_interval(law, level=level, quantile_rule="inverted_cdf")
    bands = percentile_bands(law, level=level, resamples=RESAMPLES)
    result: Result = {"theta_hat": percentile.estimate, "percentile": _with_bands(percentile, bands)}
    if percentile.degenerate:
        result["percentile"]["degenerate"] = True
        result["bca_mid"] = {"degenerate": True, "lo": percentile.lo, "hi": percentile.hi}
        return result
    acceleration = acceleration_of(values, statistic)
    for ties in _TIES:
        result[f"bca_{ties}"] = _ideal_bca(law, acceleration, level, ties)
    return result


def _ideal_bca(law: Law, acceleration: float, level: Readable, ties: Ties) -> Result:
    interval = bca_interval(law, acceleration, level=level, ties=ties, quantile_rule="inverted_cdf")
    if interval.reason is not None:
        return {"undefined": interval.reason}
    bands = bca_bands(law, acceleration, level=level, ties=ties, resamples=RESAMPLES)
    levels = {"z0": interval.z0, "a": interval.a, "alpha_lo": interval.alpha_lo, "alpha_hi": interval.alpha_hi}
    return {**levels, **_with_bands(interval, bands)}


def _with_bands(interval: BootstrapInterval, bands: tuple[Band, Band]) -> Result:
    return {"lo": interval.lo, "hi": interval.hi, "lo_band": list(bands[0]), "hi_band": list(bands[1])}


def _ends(interval: BootstrapInterval) -> list[float | None]:
    return [interval.lo, interval.hi]
