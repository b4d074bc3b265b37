"""The distribution of a statistic over resamples, on an exact lattice: seeded replicates or the ideal law with B = infinity."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import ceil, lcm
from typing import Literal

from stats.number import StatError

Quantile = Literal["inverted_cdf", "linear"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Lattice:
    """Values as integers times ``unit``; not ``exact`` means rounded to a part in 2^bits of the largest."""

    points: tuple[int, ...]
    unit: Fraction
    exact: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Law:
    """Distribution of a statistic.

    ``values`` ascend and are distinct; ``cumulative[i]`` of ``total`` weight lies at or below ``values[i]``; a value is an
    integer times ``unit``. ``observed`` is the statistic of the data on the same lattice; values within ``slack`` of it tie.
    ``exact``: values and weights are free of rounding.
    """

    values: Sequence[int]
    cumulative: Sequence[int]
    unit: Fraction
    observed: int
    exact: bool
    slack: int = 0

    @property
    def total(self) -> int:
        """The whole weight: the number of resamples, or a common denominator of the ideal probabilities."""
        return int(self.cumulative[-1])

    @property
    def estimate(self) -> Fraction:
        """The statistic of the data."""
        return self.observed * self.unit

    def share_below(self) -> Fraction:
        """Share strictly below the statistic of the data."""
        return self._share(bisect_left(self.values, self.observed - self.slack))

    def share_tied(self) -> Fraction:
        """Share equal to the statistic of the data, counted exactly."""
        return self._share(bisect_right(self.values, self.observed + self.slack)) - self.share_below()

    def quantile(self, share: Fraction, rule: Quantile) -> Fraction:
        """The quantile at ``share``, the rank worked out in rationals (0.025 of 10,000 is the 250th, not the 251st).

        ``inverted_cdf`` is Hyndman & Fan's type 1, always a value that occurs; ``linear`` their type 7, for counted
        replicates only.
        """
        if rule == "inverted_cdf":
            return self._ranked(max(ceil(share * self.total), 1))
        if rule != "linear":
            raise StatError(f"quantile must be inverted_cdf or linear, not {rule!r}")
        place = share * (self.total - 1)
        rank = int(place) + 1
        low = self._ranked(rank)
        return low + (place - int(place)) * (self._ranked(min(rank + 1, self.total)) - low)

    def _ranked(self, rank: int) -> Fraction:
        return int(self.values[bisect_left(self.cumulative, rank)]) * self.unit

    def _share(self, position: int) -> Fraction:
        return Fraction(int(self.cumulative[position - 1]), self.total) if position else Fraction(0)


def lattice(values: Sequence[Fraction], *, bits: int) -> Lattice:
    """The values on their common denominator, where that takes at most ``bits`` bits; else rounded to half as many."""
    denominator = lcm(*(value.denominator for value in values))
    if denominator.bit_length() <= bits:
        points = tuple(value.numerator * (denominator // value.denominator) for value in values)
        if max(*points, -min(points)).bit_length() <= bits:
            return Lattice(points=points, unit=Fraction(1, denominator), exact=True)
    largest = max(abs(value) for value in values)
    size = largest.numerator.bit_length() - largest.denominator.bit_length()  # 2^(size - 1) < largest < 2^(size + 1)
    unit = Fraction(2) ** (size + (largest >= Fraction(2) ** size) - bits // 2)
    return Lattice(points=tuple(round(value / unit) for value in values), unit=unit, exact=False)


def law_of(weighted: Sequence[tuple[int, int]], *, unit: Fraction, observed: int, exact: bool, slack: int = 0) -> Law:
    """A law from (value, weight) pairs in any order; equal values are put together.

    Raises:
        StatError: no pairs.
    """
    if not weighted:
        raise StatError("no replicates")
    weights: dict[int, int] = {}
    for value, weight in weighted:
        weights[value] = weights.get(value, 0) + weight
    values = sorted(weights)
    return Law(
        values=values,
        cumulative=list(accumulate(map(weights.__getitem__, values))),
        unit=unit,
        observed=observed,
        exact=exact,
        slack=slack,
    )
