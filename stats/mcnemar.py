"""McNemar's exact test on discordant pairs, its mid-p form, and how many discordant pairs a design needs."""

from dataclasses import dataclass
from fractions import Fraction
from math import comb

from stats.number import Readable, chance, count, open_unit

_PRINTABLE = 200
"""Up to so many discordant pairs ``p_two_sided_exact`` is given; beyond, the fraction is longer than a line."""


_MOST = 20_000
"""Beyond so many pairs on a side the exact fraction takes seconds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class McNemar:
    """Result: p-values as correctly rounded doubles, which may be 0 from some 1,075 pairs on.

    ``less`` asks whether the treatment solves fewer (b small).
    """

    n_discordant: int
    p_two_sided: float
    p_less: float
    p_greater: float
    mid_p_two_sided: float
    mid_p_less: float
    mid_p_greater: float
    p_two_sided_exact: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Floor:
    """The fewest discordant pairs that can be significant, and the smallest p they reach."""

    min_discordant: int
    smallest_p: float


def mcnemar(b: int, c: int) -> McNemar:
    """Exact McNemar test: ``b`` pairs solved by the treatment only, ``c`` by the baseline only.

    Assumes independent pairs; under the null a discordant pair falls either way with chance 1/2 (McNemar 1947, exact
    binomial form). Two-sided p is min(1, 2·min(one-sided)). The mid-p counts half of the observed table (Fagerland,
    Lydersen & Laake 2013); at b = c it is 1 - f(b)/2. No discordant pair: p = 1.

    Exactness: integers; every p is the exact fraction rounded once.

    Raises:
        StatError: ``b`` or ``c`` is no count, or above 20,000.
    """
    b, c = count(b, "b", most=_MOST), count(c, "c", most=_MOST)
    n = b + c
    here = Fraction(comb(n, b), 2**n)
    less, greater = _binomial_tail(n, b), _binomial_tail(n, c)
    mid_less, mid_greater = less - here / 2, greater - here / 2
    two_sided = min(2 * min(less, greater), Fraction(1))
    mid_two_sided = Fraction(1) if n == 0 else 1 - here / 2 if b == c else 2 * min(mid_less, mid_greater)
    return McNemar(
        n_discordant=n,
        p_two_sided=float(two_sided),
        p_less=float(less),
        p_greater=float(greater),
        mid_p_two_sided=float(mid_two_sided),
        mid_p_less=float(mid_less),
        mid_p_greater=float(mid_greater),
        p_two_sided_exact=f"{two_sided.numerator}/{two_sided.denominator}" if n <= _PRINTABLE else None,
    )


def min_discordant(alpha: Readable, *, two_sided: bool, mid_p: bool = False) -> Floor:
    """The fewest discordant pairs with which the test can reach p < alpha: 6 at 0.05 two-sided, 5 with mid-p or one-sided.

    Raises:
        StatError: alpha is not strictly between 0 and 1.
    """
    alpha = open_unit(alpha, "alpha")
    pairs = 1
    while _p_of_split(pairs, 0, two_sided=two_sided, mid_p=mid_p) >= alpha:
        pairs += 1
    return Floor(min_discordant=pairs, smallest_p=chance(_p_of_split(pairs, 0, two_sided=two_sided, mid_p=mid_p)))


def max_minor(discordant: int, alpha: Readable, *, two_sided: bool, mid_p: bool = False) -> int | None:
    """The largest losing side among ``discordant`` pairs that still gives p < alpha; None when not even 0 does.

    Raises:
        StatError: ``discordant`` is no count or above 20,000, or alpha is not strictly between 0 and 1.
    """
    discordant, limit = count(discordant, "discordant", most=_MOST), open_unit(alpha, "alpha")
    bound = limit * 2**discordant / (2 if two_sided else 1)  # in tables: the tail may hold fewer
    tail, here = 0, 1
    for minor in range(discordant // 2 + 1):
        tail += here
        if tail - (Fraction(here, 2) if mid_p else 0) >= bound:
            return minor - 1 if minor else None
        here = here * (discordant - minor) // (minor + 1)
    return discordant // 2


def _p_of_split(discordant: int, minor: int, *, two_sided: bool, mid_p: bool) -> Fraction:
    """The p-value when the losing side has ``minor`` of ``discordant`` pairs and the winning side is the one hoped for."""
    tail = _binomial_tail(discordant, minor)
    if mid_p:
        tail -= Fraction(comb(discordant, minor), 2 ** (discordant + 1))
    return min(2 * tail, Fraction(1)) if two_sided else tail


def _binomial_tail(n: int, upper: int) -> Fraction:
    """P(X <= upper) for X ~ Binomial(n, 1/2)."""
    if 2 * upper >= n:  # sum the shorter side
        return 1 - _binomial_tail(n, n - upper - 1) if upper < n else Fraction(1)
    total, term = 0, 1
    for k in range(upper + 1):
        total += term
        term = term * (n - k) // (k + 1)
    return Fraction(total, 2**n)
