"""The sign-flip test of a mean difference: exact where sign vectors can be counted, else seeded and said so."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from stats.law import lattice
from stats.number import Alternative, Exact, chance, check_alternative, double, finite, of_two_to
from stats.subset_sums import Share, fits_integers, share_up_to

_BITS = 4096
_HALVABLE = 32
"""Up to so many differences all sign vectors are counted by sorting the sums of two halves, whatever the values."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SignFlip:
    """Result: ``statistic`` is the mean difference; ``exact`` says all 2^n_used sign vectors were counted, else ``resamples`` drawn.

    Differences so fine that they had to be rounded are counted, and not exact: ``resamples`` is None. ``p`` is never 0, and
    ``p_exact`` is there where it can be read (some 300 digits). ``attainable_min`` is the smallest p that these absolute
    differences could give, or that so many draws could.
    """

    n: int
    n_zero: int
    n_used: int
    statistic: float
    p: float
    p_exact: str | None
    exact: bool
    resamples: int | None
    attainable_min: float


def sign_flip(
    differences: Sequence[Exact], *, alternative: Alternative, resamples: int = 100_000, seed: int = 0
) -> SignFlip:
    """Sign-flip test of the mean of paired differences (Fisher 1935; Pitman 1937).

    Assumes independent differences, symmetric about zero under the null. Zeros change nothing. Exact when the differences
    share a coarse unit or are at most 32; else ``resamples`` seeded sign vectors with p = (1 + hits)/(1 + resamples), which is
    never zero (Phipson & Smyth 2010).

    Raises:
        StatError: no differences, inexact values, an unknown alternative, or a seed or number of resamples out of range.
    """
    values = finite(differences)
    check_alternative(alternative)
    grid = lattice(values, bits=_BITS)
    plus = sum(point for point in grid.points if point > 0)
    minus = -sum(point for point in grid.points if point < 0)
    sizes = [abs(point) for point in grid.points if point]
    bound = min(plus, minus) if alternative == "two-sided" else plus if alternative == "less" else minus
    share = _share(sizes, bound)
    used = len(sizes)
    counted = share is not None
    exactly = counted and grid.exact
    if share is None:
        share, floor = _drawn(sizes, bound, resamples, seed), Fraction(1, resamples + 1)
    else:
        floor = Fraction(1, 2**used)
    sides = 2 if alternative == "two-sided" else 1
    p = min(sides * max(share.value, floor), Fraction(1))
    return SignFlip(
        n=len(values),
        n_zero=len(values) - used,
        n_used=used,
        statistic=double(sum(values, start=Fraction(0)) / len(values)),
        p=chance(p),
        p_exact=of_two_to(p, used) if exactly else None,
        exact=exactly,
        resamples=None if counted else resamples,
        attainable_min=chance(min(sides * floor, Fraction(1))),
    )


def _share(sizes: Sequence[int], bound: int) -> Share | None:
    """Share of sign vectors whose positive part sums to at most ``bound``, if it can be counted."""
    if fits_integers(sizes, min(bound, sum(sizes) - bound)):
        return share_up_to(sizes, bound)
    if len(sizes) > _HALVABLE:
        return None
    left, right = _all_sums(sizes[::2]), sorted(_all_sums(sizes[1::2]))
    return Share(value=Fraction(sum(bisect_right(right, bound - one) for one in left), 2 ** len(sizes)))


def _all_sums(sizes: Sequence[int]) -> list[int]:
    sums = [0]
    for size in sizes:
        sums += [one + size for one in sums]
    return sums


def _drawn(sizes: Sequence[int], bound: int, resamples: int, seed: int) -> Share:
    from stats.sign_draws import hits  # noqa: PLC0415 - numpy is loaded to draw only

    return Share(
        value=Fraction(1 + hits(sizes, bound, resamples=resamples, seed=seed), 1 + resamples), method="doubles"
    )
