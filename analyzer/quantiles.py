"""The middle, the mean and the quartiles of amounts that are drawn or listed, so that a page says each of them once."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from stats.number import exact


@dataclass(frozen=True, kw_only=True, slots=True)
class Spread:
    """How amounts spread: what ``stats.summary`` gives of them, as doubles."""

    least: float
    lower_quartile: float
    median: float
    mean: float
    upper_quartile: float
    most: float


def spread(found: Sequence[float]) -> Spread:
    """Work the spread of at least one amount out."""
    ordered = sorted(found)
    return Spread(
        least=ordered[0],
        lower_quartile=quantile(ordered, 0.25),
        median=middle(ordered),
        mean=average(ordered),
        upper_quartile=quantile(ordered, 0.75),
        most=ordered[-1],
    )


def middle(ordered: Sequence[float]) -> float:
    """Give the median of ordered amounts; that of an even number as it comes out of their decimals, not of their doubles."""
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return float((exact(ordered[half - 1]) + exact(ordered[half])) / 2)


def average(found: Sequence[float]) -> float:
    """Give the mean; the sum is read as the decimal of fifteen digits that it is nearest to, which is what amounts add up to."""
    return float(exact(f"{fsum(found):.15g}") / len(found))


def quantile(ordered: Sequence[float], share: float) -> float:
    """Invert the distribution function: the least value that at least so large a share does not exceed."""
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]
