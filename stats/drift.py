"""Drift: the rank correlation of values with their place in a sequence (Spearman 1904), from midranks."""

from collections.abc import Sequence

from stats.number import Exact, StatError


def midranks(values: Sequence[float | Exact]) -> list[float]:
    """Rank values from 1; those that tie share the mean of the ranks that they take up."""
    ordered = sorted(values)
    last = {each: place for place, each in enumerate(ordered, start=1)}
    # Behind the last of one value begins the next, in the order in which the values stand in the map.
    ranks = {
        each: (before + 1 + end) / 2 for before, (each, end) in zip((0, *last.values()), last.items(), strict=False)
    }
    return [ranks[each] for each in values]


def drift(ranks: Sequence[float]) -> float:
    """Correlate the ranks of values with the places 1, 2, 3 … in which they stand: from -1 (ever falling) to 1 (ever rising).

    Raises:
        StatError: Fewer than three values, or all of them tie.
    """
    n = len(ranks)
    middle = (n + 1) / 2
    spread = sum((rank - middle) ** 2 for rank in ranks)
    if n < 3 or not spread:
        raise StatError("no drift of fewer than three values, or of values that are all the same")
    together = sum((place - middle) * (rank - middle) for place, rank in enumerate(ranks, start=1))
    return float(together / (spread * n * (n * n - 1) / 12) ** 0.5)
