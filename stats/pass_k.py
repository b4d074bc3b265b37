"""Chances over k tries, from n tries of which c passed."""

from fractions import Fraction
from math import comb

from stats.number import StatError, count

_MOST = 100_000
"""Beyond so many tries the binomial coefficients take seconds."""


def pass_at_k(n: int, c: int, k: int) -> Fraction:
    """Unbiased chance that at least one of k tries passes: 1 - C(n-c, k)/C(n, k) (Chen et al. 2021). Exact.

    Raises:
        StatError: c > n, k > n, k = 0, or not counts.
    """
    n, c, k = _checked(n, c, k)
    return 1 - Fraction(comb(n - c, k), comb(n, k))


def pass_hat_k(n: int, c: int, k: int) -> Fraction:
    """Unbiased chance that all of k tries pass: C(c, k)/C(n, k) (pass^k, Yao et al. 2024). Exact.

    Raises:
        StatError: c > n, k > n, k = 0, or not counts.
    """
    n, c, k = _checked(n, c, k)
    return Fraction(comb(c, k), comb(n, k))


def _checked(n: int, c: int, k: int) -> tuple[int, int, int]:
    n, c, k = count(n, "n", most=_MOST), count(c, "c"), count(k, "k")
    if c > n:
        raise StatError(f"c > n: {c} of {n}")
    if k > n:
        raise StatError(f"k > n: {k} of {n}")
    if k == 0:
        raise StatError("k = 0")
    return n, c, k
