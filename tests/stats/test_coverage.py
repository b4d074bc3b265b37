"""Exact coverage of the intervals for 22 paired proportions: every table, weighted by its chance. Not a simulation."""

from fractions import Fraction
from functools import cache
from math import comb

import pytest

from stats.bootstrap import bootstrap
from stats.proportions import PairedCounts, newcombe_paired

N = 22


@cache
def resampled(b, c, method, ties):
    values = [Fraction(1)] * b + [Fraction(-1)] * c + [Fraction(0)] * (N - b - c)
    got = bootstrap(values, statistic="mean", method=method, level="0.95", resamples=None, ties=ties)
    return (got.estimate, got.estimate) if got.lo is None else (got.lo, got.hi)


@cache
def newcombe(b, c, both):
    got = newcombe_paired(PairedCounts(n11=both, n10=b, n01=c, n00=N - b - c - both), level="0.95")
    return got.lo, got.hi


def coverage(interval, p10, p01, p00):
    total = 0.0
    for b in range(N + 1):
        for c in range(N + 1 - b):
            for both in range(N + 1 - b - c):
                neither = N - b - c - both
                ways = comb(N, b) * comb(N - b, c) * comb(N - b - c, both)
                low, high = interval(b, c, both)
                if low - 1e-12 <= p10 - p01 <= high + 1e-12:
                    total += ways * p10**b * p01**c * p00**neither * (1 - p10 - p01 - p00) ** both
    return total


@pytest.mark.parametrize(
    ("truth", "percentile", "strict", "mid", "square_and_add"),
    [
        ((0.09, 0.045, 0.045), 0.819, 0.816, 0.748, 0.986),
        ((0.05, 0.05, 0.05), 0.983, 0.885, 0.931, 0.997),
        ((0.30, 0.05, 0.10), 0.919, 0.912, 0.922, 0.962),
    ],
)
def test_newcombe_covers_where_the_bootstrap_does_not(truth, percentile, strict, mid, square_and_add):
    assert coverage(lambda b, c, both: resampled(b, c, "percentile", "mid"), *truth) == pytest.approx(
        percentile, abs=0.0011
    )
    assert coverage(lambda b, c, both: resampled(b, c, "bca", "strict"), *truth) == pytest.approx(strict, abs=0.0011)
    assert coverage(lambda b, c, both: resampled(b, c, "bca", "mid"), *truth) == pytest.approx(mid, abs=0.0011)
    assert coverage(newcombe, *truth) == pytest.approx(square_and_add, abs=0.0011)
