"""The standard deviation of per-task differences, with an interval that does not take them for normal."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, fsum, log, sqrt

from stats.normal import quantile
from stats.number import Exact, Readable, StatError, double, finite, open_unit

FEWEST = 6
"""Fewer values say nothing of their own kurtosis."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Deviation:
    """A standard deviation (n - 1) in the unit of the data; the ends are None with a ``reason``."""

    value: float
    lo: float | None
    hi: float | None
    reason: str | None = None


def deviation_interval(values: Sequence[Exact], *, level: Readable) -> Deviation:
    """Standard deviation with Bonett's interval (2006, Computational Statistics & Data Analysis 50, 775-782).

    The interval is for the logarithm of the variance and takes its error from the sample's kurtosis about a trimmed mean
    (trimmed by 1/(2·√(n - 4)) at each end), so that heavy tails widen it, which the chi-square interval does not.

    Raises:
        StatError: fewer than two values, inexact values, or a level outside 0 … 1.
    """
    numbers = finite(values)
    n = len(numbers)
    if n < 2:
        raise StatError(f"{n} value has no spread")
    z = -quantile((1 - open_unit(level, "level")) / 2)
    mean = sum(numbers, Fraction(0)) / n
    squares = sum(((each - mean) ** 2 for each in numbers), Fraction(0))
    value = sqrt(double(squares / (n - 1)))
    if squares == 0:
        return Deviation(value=0.0, lo=None, hi=None, reason="all values are alike")
    if n < FEWEST or n <= z:
        return Deviation(value=value, lo=None, hi=None, reason=f"{n} values say nothing of the error of their spread")
    centre = double(_trimmed_mean(sorted(numbers), 1 / (2 * sqrt(n - 4))))
    gaps = [double(each) - centre for each in numbers]
    total = double(squares)
    kurtosis = n * fsum((gap * gap / total) ** 2 for gap in gaps)
    scale = n / (n - z)
    error = scale * sqrt(max(0.0, (kurtosis - (n - 3) / n) / (n - 1)))
    middle = log(scale) + 2 * log(value)
    return Deviation(value=value, lo=exp((middle - z * error) / 2), hi=exp((middle + z * error) / 2))


def _trimmed_mean(ascending: Sequence[Fraction], share: float) -> Fraction:
    """Mean without the lowest and the highest ``share`` of the values, rounded down to whole values."""
    cut = int(len(ascending) * share)
    kept = ascending[cut : len(ascending) - cut] or ascending
    return sum(kept, Fraction(0)) / len(kept)
