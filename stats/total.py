"""Exact sums of many fractions, a good deal quicker than adding them one by one."""

from collections.abc import Iterable
from fractions import Fraction
from operator import methodcaller

_RATIO = methodcaller("as_integer_ratio")

Ratio = tuple[int, int]
"""A numerator and a denominator, which may have a divisor in common."""


def total(values: Iterable[Fraction]) -> Fraction:
    """Add up; nothing is 0."""
    return total_of_ratios(map(_RATIO, values))


def total_of_ratios(ratios: Iterable[Ratio]) -> Fraction:
    """Add up what is not in lowest terms: each denominator's numerators first, then two sums at a time, reduced once at the end.

    Measured amounts share a few dozen denominators, so that thousands of them take a few additions of fractions; and where
    every denominator is another, pairing keeps the numbers short for as long as can be.
    """
    sums: dict[int, int] = {}
    for numerator, denominator in ratios:
        sums[denominator] = sums.get(denominator, 0) + numerator
    parts = [(numerator, denominator) for denominator, numerator in sums.items()]
    while len(parts) > 1:
        halves = zip(parts[::2], parts[1::2], strict=False)
        parts = [(a * d + c * b, b * d) for (a, b), (c, d) in halves] + parts[len(parts) // 2 * 2 :]
    return Fraction(*parts[0]) if parts else Fraction(0)
