"""Ideal bootstrap laws, B = infinity: what a seeded run approaches, without a seed."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import comb, gcd, log2

from stats.law import Law, lattice, law_of

_MEDIAN_BITS = 4096
_INTEGER_TASKS = 200
"""Up to so many tasks the law of the median is counted in integers; beyond, its probabilities are doubles."""
_INTEGER_BITS = 1 << 20
"""Size up to which the law of the mean is one power of a packed polynomial; beyond, a Fourier transform."""
_LATTICE_POINTS = 1 << 20


def median_law(values: Sequence[Fraction]) -> Law:
    """Law of the median of a resample: the joint law of its two middle order statistics (Efron 1979, §3, for odd n).

    For n tasks sorted, the middle two are the i-th and j-th with probability C(n, n/2)·(i^m - (i-1)^m)·((n-j+1)^m - (n-j)^m)/n^n,
    i < j, m = n/2. Exact integers up to 200 tasks; beyond, doubles with relative error near 1e-12 (probabilities below 1e-16
    are left out).
    """
    grid = lattice(values, bits=_MEDIAN_BITS)
    points = sorted(grid.points)
    n = len(points)
    observed = points[(n - 1) // 2] + points[n // 2]
    if n <= _INTEGER_TASKS:
        weighted = _odd_weights(points) if n % 2 else _even_weights(points)
        return law_of(weighted, unit=grid.unit / 2, observed=observed, exact=grid.exact)
    from stats.ideal_double import median_weights  # noqa: PLC0415 - numpy is loaded for large problems only

    doubled, cumulative = median_weights(points)
    return Law(values=doubled, cumulative=cumulative, unit=grid.unit / 2, observed=observed, exact=False)


def mean_law(values: Sequence[Fraction]) -> Law | None:
    """Law of the mean of a resample: the n-fold convolution of the data; None where the lattice of sums is too fine to list.

    Proportions, counts and amounts with a few decimals qualify. Exact integers while small, else a Fourier transform with
    absolute error below 1e-9 (near 1e-15 for proportions).
    """
    grid = lattice(values, bits=64)
    n = len(grid.points)
    least = min(grid.points)
    step = gcd(*(point - least for point in grid.points)) or 1
    counts = Counter((point - least) // step for point in grid.points)
    reach = n * max(counts)
    if not grid.exact or reach >= _LATTICE_POINTS:
        return None
    unit, observed = grid.unit / n, sum(grid.points)
    slot = int(n * log2(n)) + 2
    if (reach + 1) * slot <= _INTEGER_BITS:
        packed = sum(weight << slot * point for point, weight in counts.items()) ** n
        mask = (1 << slot) - 1
        weights = [(packed >> slot * place) & mask for place in range(reach + 1)]
        weighted = [(n * least + step * place, weight) for place, weight in enumerate(weights) if weight]
        return law_of(weighted, unit=unit, observed=observed, exact=True)
    from stats.ideal_double import mean_weights  # noqa: PLC0415 - numpy is loaded for large problems only

    places, cumulative = mean_weights(counts, n)
    sums = [n * least + step * place for place in places]
    return Law(values=sums, cumulative=cumulative, unit=unit, observed=observed, exact=False)


def _odd_weights(points: Sequence[int]) -> list[tuple[int, int]]:
    """(twice the median, number of the n^n resamples)."""
    up_to = _at_or_below(len(points))
    return [(2 * point, up_to[i + 1] - up_to[i]) for i, point in enumerate(points)]


def _even_weights(points: Sequence[int]) -> list[tuple[int, int]]:
    """(sum of the two middle values, number of the n^n resamples)."""
    n = len(points)
    half = n // 2
    powers = [i**half for i in range(n + 1)]
    up_to = _at_or_below(n)
    ways = comb(n, half)
    weighted: list[tuple[int, int]] = []
    for i in range(1, n + 1):
        ending = ways * (powers[i] - powers[i - 1])  # half the draws at or below the i-th, at least one on it
        weighted.extend(
            (points[i - 1] + points[j - 1], ending * (powers[n - j + 1] - powers[n - j])) for j in range(i + 1, n + 1)
        )
        # Both middle values on the i-th: the lower one is, less the cases with the upper one above.
        weighted.append((2 * points[i - 1], up_to[i] - up_to[i - 1] - ending * powers[n - i]))
    return weighted


def _at_or_below(n: int) -> list[int]:
    """For i = 0 … n: how many of the n^n resamples have their (lower) middle value at or below the i-th."""
    half = (n + 1) // 2
    ways = [comb(n, k) for k in range(n + 1)]
    counts: list[int] = []
    for i in range(n + 1):
        total, rest = 0, 1
        for k in range(n, half - 1, -1):  # sum of C(n, k)·i^k·(n-i)^(n-k) over k >= half, by Horner's scheme
            total = total * i + ways[k] * rest
            rest *= n - i
        counts.append(total * i**half)
    return counts
