"""The Hodges-Lehmann estimate with its exact signed-rank interval."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import sqrt
from statistics import NormalDist

from stats.law import lattice
from stats.number import Exact, Readable, double, finite, open_unit
from stats.subset_sums import PRECISION, counts_up_to, fits_doubles, fits_integers, share_up_to

_BITS = 4096


@dataclass(frozen=True, kw_only=True, slots=True)
class HodgesLehmann:
    """Estimate and interval in the unit of the data.

    ``k``: the interval runs from the k-th smallest to the k-th largest Walsh average. ``achieved_level`` is its true level for
    untied data, at least the asked one when ``attainable``; else the interval is the whole range of Walsh averages.
    """

    estimate: float
    lo: float
    hi: float
    k: int
    attainable: bool
    achieved_level: float


def hodges_lehmann(differences: Sequence[Exact], *, level: Readable) -> HodgesLehmann:
    """Median of all Walsh averages (d_i + d_j)/2, i <= j, with the interval that inverts the signed-rank test.

    Assumes independent differences, symmetric about the true shift (Hodges & Lehmann 1963; Hollander & Wolfe, ch. 3). Zeros
    are kept. The interval uses the law without ties, which is conservative under ties; so it agrees with ``signed_rank``
    exactly when there are neither ties nor zeros. Fewer than six differences cannot reach 95%: ``attainable`` is then False.

    Exactness: order statistics are picked exactly; ``k`` from integers up to about 300 differences, from doubles up to about
    1,200, beyond from the inverted characteristic function (under a second at 10,000), conservatively within its error.

    Raises:
        StatError: no differences, inexact values, or a level outside 0 … 1.
    """
    values = finite(differences)
    tail = (1 - open_unit(level, "level")) / 2
    grid = lattice(values, bits=_BITS)
    points = sorted(grid.points)
    pairs = len(points) * (len(points) + 1) // 2
    k, beyond = _rank(len(points), tail)
    middle = _walsh_sum(points, (pairs + 1) // 2) + _walsh_sum(points, pairs // 2 + 1)
    return HodgesLehmann(
        estimate=double(middle * grid.unit / 4),
        lo=double(_walsh_sum(points, k) * grid.unit / 2),
        hi=double(_walsh_sum(points, pairs + 1 - k) * grid.unit / 2),
        k=k,
        attainable=beyond <= tail,
        achieved_level=float(1 - 2 * beyond),
    )


def _rank(n: int, tail: Fraction) -> tuple[int, Fraction]:
    """The largest k with P(W+ <= k-1) <= tail, at least 1, and that probability."""
    half = n * (n + 1) // 4
    sizes = range(1, n + 1)
    if fits_integers(sizes, half):
        within = bisect_right(list(accumulate(counts_up_to(sizes, half))), tail * 2**n)
    elif not fits_doubles(sizes, half):
        within = _sought(n, tail)
    else:
        from stats.subset_sums_double import counts  # noqa: PLC0415 - numpy is loaded for large problems only

        mantissas, exponent = counts(sizes, half)
        within = bisect_right(mantissas.cumsum().tolist(), tail * Fraction(2) ** (n - exponent))
    k = max(within, 1)
    return k, share_up_to(sizes, k - 1).value


def _sought(n: int, tail: Fraction) -> int:
    """The same largest k by a few shares: the normal scale is so nearly straight that each guess lands next to it."""
    normal, spread = NormalDist(), sqrt(n * (n + 1) * (2 * n + 1) / 24)
    wanted = normal.inv_cdf(float(tail))
    within, beyond = 0, n * (n + 1) // 4 + 1  # P(W+ <= k - 1) is at most the tail for the first, and not for the second
    guess = round(n * (n + 1) / 4 + wanted * spread)
    while beyond - within > 1:
        guess = min(max(guess, within + 1), beyond - 1)
        share = share_up_to(range(1, n + 1), guess - 1).value
        within, beyond = (guess, beyond) if share * (1 + Fraction(PRECISION)) <= tail else (within, guess)
        guess += round((wanted - normal.inv_cdf(float(share))) * spread)
    return within


def _walsh_sum(points: Sequence[int], k: int) -> int:
    """The k-th smallest of all sums points[i] + points[j], i <= j, of ascending points, by bisection over the integers."""
    low, high = 2 * points[0], 2 * points[-1]
    while low < high:
        middle = (low + high) // 2
        if _sums_up_to(points, middle) >= k:
            high = middle
        else:
            low = middle + 1
    return low


def _sums_up_to(points: Sequence[int], bound: int) -> int:
    """How many of those sums are at most ``bound``: one walk from both ends."""
    found, right = 0, len(points) - 1
    for left, point in enumerate(points):
        while right >= left and point + points[right] > bound:
            right -= 1
        if right < left:
            break
        found += right - left + 1
    return found
