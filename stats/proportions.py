"""Intervals for one proportion and for the difference of two paired ones."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from stats.normal import quantile
from stats.number import Readable, StatError, count, open_unit


@dataclass(frozen=True, kw_only=True, slots=True)
class Proportion:
    """A share with its interval, all in 0 … 1."""

    estimate: float
    lo: float
    hi: float


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedDifference:
    """Difference of two paired shares, treatment - baseline, in -1 … 1; ``phi`` is the correlation used (None for Tango)."""

    diff: float
    lo: float
    hi: float
    phi: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedCounts:
    """Pairs by what solved them: both (``n11``), the treatment only (``n10``), the baseline only (``n01``), neither (``n00``)."""

    n11: int
    n10: int
    n01: int
    n00: int

    def __post_init__(self) -> None:
        for name in ("n11", "n10", "n01", "n00"):
            count(getattr(self, name), name)
        if self.n == 0:
            raise StatError("n = 0")

    @property
    def n(self) -> int:
        """All pairs."""
        return self.n11 + self.n10 + self.n01 + self.n00

    @property
    def difference(self) -> Fraction:
        """Share of the treatment less that of the baseline."""
        return Fraction(self.n10 - self.n01, self.n)


def wilson(x: int, n: int, *, level: Readable) -> Proportion:
    """Wilson's score interval for ``x`` successes in ``n`` independent tries (Wilson 1927), without continuity correction.

    Exactness: doubles, relative error near 1e-15; the end at x = 0 or x = n is exactly 0 or 1.

    Raises:
        StatError: n = 0, x > n, a negative or fractional count, a level outside 0 … 1.
    """
    x, n = count(x, "x"), count(n, "n")
    if n == 0:
        raise StatError("n = 0")
    if x > n:
        raise StatError(f"x > n: {x} of {n}")
    return _wilson(x, n, _two_sided_z(open_unit(level, "level")))


def newcombe_paired(counts: PairedCounts, *, level: Readable) -> PairedDifference:
    """Newcombe's square-and-add interval for a paired difference (Newcombe 1998, method 10).

    Wilson intervals of both arms are combined with the correlation phi of the 2x2 table, whose numerator is lessened by n/2
    when positive, as in the paper. Assumes independent pairs. With no discordant pair at all it still has a width. It is a
    large-sample interval beside an exact test: near the border it may exclude zero where McNemar's exact p stays above 0.05
    (5 against 0 of 22 pairs: p = 0.0625), since the exact test spends less than its 5%.

    Exactness: doubles.

    Raises:
        StatError: a level outside 0 … 1 (counts are checked by ``PairedCounts``).
    """
    return _newcombe(counts, _two_sided_z(open_unit(level, "level")))


def newcombe_lower(counts: PairedCounts, *, alpha: Readable) -> float:
    """One-sided lower bound at level 1 - alpha: the lower end of the two-sided Newcombe interval at 1 - 2·alpha.

    Raises:
        StatError: alpha outside 0 … 1/2.
    """
    return _newcombe(counts, -quantile(_one_sided(alpha))).lo


def newcombe_upper(counts: PairedCounts, *, alpha: Readable) -> float:
    """One-sided upper bound at level 1 - alpha.

    Raises:
        StatError: alpha outside 0 … 1/2.
    """
    return _newcombe(counts, -quantile(_one_sided(alpha))).hi


def tango_score_paired(counts: PairedCounts, *, level: Readable) -> PairedDifference:
    """Tango's score interval for a paired difference: all differences that his score test does not reject (Tango 1998).

    Assumes independent pairs. Exactness: doubles, ends found by bisection to the last bit.

    Raises:
        StatError: a level outside 0 … 1.
    """
    z = _two_sided_z(open_unit(level, "level"))
    middle = float(counts.difference)
    return PairedDifference(
        diff=middle,
        lo=_crossing(lambda delta: tango_z(counts, delta) - z, -1.0, middle),
        hi=_crossing(lambda delta: tango_z(counts, delta) + z, middle, 1.0),
    )


def tango_z(counts: PairedCounts, delta: float) -> float:
    """Score statistic of the hypothesis that the true difference is ``delta``: positive when the data lie above it.

    The variance is that of the restricted maximum likelihood estimate (Tango 1998, eq. 5 and appendix).
    """
    n, b, c = counts.n, counts.n10, counts.n01
    gap = b - c - n * delta
    linear = -b - c + (2 * n - b + c) * delta
    constant = -c * delta * (1 - delta)
    root = math.sqrt(max(linear * linear - 8 * n * constant, 0.0))
    # The larger root of 2n·q² + linear·q + constant = 0, in the form that does not cancel.
    losing = (root - linear) / (4 * n) if linear <= 0 else -2 * constant / (linear + root)
    variance = n * (2 * losing + delta * (1 - delta))
    if variance <= 0:
        return 0.0 if gap == 0 else math.copysign(math.inf, gap)
    return gap / math.sqrt(variance)


def _two_sided_z(level: Fraction) -> float:
    return -quantile((1 - level) / 2)


def _one_sided(alpha: Readable) -> Fraction:
    share = open_unit(alpha, "alpha")
    if share >= Fraction(1, 2):
        raise StatError(f"alpha must be below 1/2, not {alpha}")
    return share


def _wilson(x: int, n: int, z: float) -> Proportion:
    share = x / n
    half = z * math.sqrt(x * (n - x) / n + z * z / 4)
    below = 0.0 if x == 0 else (x + z * z / 2 - half) / (n + z * z)
    above = 1.0 if x == n else (x + z * z / 2 + half) / (n + z * z)
    return Proportion(estimate=share, lo=below, hi=above)


def _newcombe(counts: PairedCounts, z: float) -> PairedDifference:
    n11, n10, n01, n00, n = counts.n11, counts.n10, counts.n01, counts.n00, counts.n
    treatment, baseline = _wilson(n11 + n10, n, z), _wilson(n11 + n01, n, z)
    phi = _phi(n11, n10, n01, n00)

    def reach(one: float, other: float) -> float:
        return math.sqrt(max(one * one - 2 * phi * one * other + other * other, 0.0))

    diff = float(counts.difference)
    down = reach(treatment.estimate - treatment.lo, baseline.hi - baseline.estimate)
    up = reach(treatment.hi - treatment.estimate, baseline.estimate - baseline.lo)
    return PairedDifference(diff=diff, lo=max(diff - down, -1.0), hi=min(diff + up, 1.0), phi=phi)


def _phi(n11: int, n10: int, n01: int, n00: int) -> float:
    margins = (n11 + n10) * (n01 + n00) * (n11 + n01) * (n10 + n00)
    if margins == 0:
        return 0.0
    numerator = Fraction(n11 * n00 - n10 * n01)
    if numerator > 0:
        numerator = max(numerator - Fraction(n11 + n10 + n01 + n00, 2), Fraction(0))
    return float(numerator) / math.sqrt(margins)


def _crossing(falling: Callable[[float], float], lo: float, hi: float) -> float:
    """Where a falling function passes zero between lo and hi; an end when it does not."""
    if falling(lo) <= 0:
        return lo
    if falling(hi) >= 0:
        return hi
    while True:
        middle = (lo + hi) / 2
        if middle in (lo, hi):
            return middle
        if falling(middle) > 0:
            lo = middle
        else:
            hi = middle
