"""How many tasks the next run needs."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from stats.normal import quantile
from stats.number import Readable, StatError, double, exact, open_unit

Constants = Literal["rounded", "exact"]

_ROUNDED_Z = {
    Fraction(1, 20): 1.645,
    Fraction(1, 40): 1.960,
    Fraction(1, 100): 2.326,
    Fraction(1, 5): 0.842,
    Fraction(1, 10): 1.282,
}
_ROUNDED_ARE = 0.955


@dataclass(frozen=True, kw_only=True, slots=True)
class SampleSize:
    """Number of tasks: as the formula gives it, and rounded up."""

    n_raw: float
    n: int


def sample_size_wilcoxon(
    *, sigma: Readable, delta: Readable, alpha_one_sided: Readable, power: Readable, constants: Constants
) -> SampleSize:
    """Tasks for a one-sided signed-rank test: ((z_alpha + z_power)·sigma/delta)² / ARE.

    ``sigma`` is the standard deviation of the per-task differences, ``delta`` the effect to detect, in the same unit. ARE is
    the efficiency of the signed-rank test relative to the t-test under normal differences, 3/pi (Hodges & Lehmann 1956).
    ``rounded`` uses 1.645, 0.842 and 0.955 as usually printed, ``exact`` the quantiles and 3/pi; n differs only on a boundary.

    Raises:
        StatError: delta = 0, sigma <= 0, alpha or power outside 0 … 1, a power of alpha or less, or no rounded constant for that
            alpha or power.
    """
    spread, effect = exact(sigma), exact(delta)
    alpha, chance = _rates(alpha_one_sided, power)
    if effect == 0:
        raise StatError("delta = 0: no sample can show an effect of nothing")
    if spread <= 0:
        raise StatError(f"sigma must be positive, not {sigma}")
    if constants == "rounded":
        z, efficiency = _rounded(alpha) + _rounded(1 - chance), _ROUNDED_ARE
    elif constants == "exact":
        z, efficiency = -quantile(alpha) - quantile(1 - chance), 3 / math.pi
    else:
        raise StatError(f"constants must be rounded or exact, not {constants!r}")
    ratio = z * double(abs(spread / effect))
    raw = ratio * ratio / efficiency
    if not math.isfinite(raw):
        raise StatError("out of range of the doubles")
    return SampleSize(n_raw=raw, n=math.ceil(raw))


def _rates(alpha: Readable, power: Readable) -> tuple[Fraction, Fraction]:
    """Alpha and power; a power of alpha or less is reached by a test that looks at no data, and has no sample size."""
    rates = open_unit(alpha, "alpha"), open_unit(power, "power")
    if rates[1] <= rates[0]:
        raise StatError(f"power must be above alpha, and {power} is not above {alpha}")
    return rates


def _rounded(tail: Fraction) -> float:
    if tail not in _ROUNDED_Z:
        known = ", ".join(str(float(share)) for share in sorted(_ROUNDED_Z))
        raise StatError(f"no rounded constant for a tail of {float(tail)} (known: {known}); use exact")
    return _ROUNDED_Z[tail]


def detectable_wilcoxon(*, sigma: Readable, n: int, alpha_one_sided: Readable, power: Readable) -> float:
    """The smallest effect that n tasks detect with this power, in the unit of sigma: ``sample_size_wilcoxon`` turned around.

    It is not capped: who words it must say that a saving cannot exceed 100 %.

    Raises:
        StatError: sigma <= 0, n < 1, alpha or power outside 0 … 1, or a power of alpha or less.
    """
    spread = exact(sigma)
    alpha, chance = _rates(alpha_one_sided, power)
    if spread <= 0:
        raise StatError(f"sigma must be positive, not {sigma}")
    if n < 1:
        raise StatError(f"n must be at least 1, not {n}")
    return (-quantile(alpha) - quantile(1 - chance)) * double(spread) / math.sqrt(n * 3 / math.pi)
