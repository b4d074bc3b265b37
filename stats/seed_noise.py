"""Where the end points of a seeded bootstrap run may fall, given the ideal law: what another seed could have printed."""

from fractions import Fraction
from math import sqrt

from stats.bootstrap import Ties, adjusted_level
from stats.law import Law
from stats.normal import quantile
from stats.number import Readable, double, open_unit

SIGMAS = 4.5
"""Two-sided chance of a normal law beyond: 7 in a million."""

Band = tuple[float, float]


def percentile_bands(law: Law, *, level: Readable, resamples: int) -> tuple[Band, Band]:
    """Bands of the lower and the upper end: quantiles of the ideal law at tail ± 4.5 binomial standard errors.

    Raises:
        StatError: a level outside 0 … 1.
    """
    tail = float((1 - open_unit(level, "level")) / 2)
    return _band(law, tail, tail, resamples), _band(law, 1 - tail, 1 - tail, resamples)


def bca_bands(law: Law, acceleration: float, *, level: Readable, ties: Ties, resamples: int) -> tuple[Band, Band]:
    """Bands of BCa's ends: the noise of z0 moves the adjusted level, that of the quantile adds to it.

    Raises:
        StatError: a level outside 0 … 1.
    """
    tail = float((1 - open_unit(level, "level")) / 2)
    share = float(law.share_below() + (law.share_tied() / 2 if ties == "mid" else 0))
    reach = SIGMAS * _noise(share, resamples)
    least, most = (quantile(min(max(end, 1e-12), 1 - 1e-12)) for end in (share - reach, share + reach))
    low, high = (
        _band(law, adjusted_level(least, acceleration, z), adjusted_level(most, acceleration, z), resamples)
        for z in (quantile(tail), quantile(1 - tail))
    )
    return low, high


def _band(law: Law, least: float, most: float, resamples: int) -> Band:
    return (
        _quantile(law, least - SIGMAS * _noise(least, resamples)),
        _quantile(law, most + SIGMAS * _noise(most, resamples)),
    )


def _noise(share: float, resamples: int) -> float:
    return sqrt(max(share * (1 - share), 0.0) / resamples)


def _quantile(law: Law, share: float) -> float:
    return double(law.quantile(Fraction(min(max(share, 0.0), 1.0)), "inverted_cdf"))
