"""The standard normal distribution, accurate in both tails."""

import math
from fractions import Fraction
from statistics import NormalDist

from stats.number import StatError

_STANDARD = NormalDist()


def quantile(share: Fraction | float) -> float:
    """The z below which ``share`` of the normal law lies (Wichura's AS 241, relative error about 1e-16).

    Shares above one half are mirrored, so that opposite shares have exactly opposite z.

    Raises:
        StatError: the share, or what is left of it, is nearer to zero than a double can tell.
    """
    tail = float(min(share, 1 - share))
    if tail <= 0:
        raise StatError("a share too near to 0 or 1 for the normal law")
    z = _STANDARD.inv_cdf(tail)
    return z if share <= Fraction(1, 2) else -z


def below(z: float) -> float:
    """The share of the normal law below z."""
    return math.erfc(-z / math.sqrt(2)) / 2
