"""Drift: the rank correlation of values with their place in a sequence (Spearman 1904), from midranks."""

from collections.abc import Sequence

import numpy as np

from stats.number import StatError


def drift(values: Sequence[float]) -> float:
    """Correlate values with the places in which they stand, by ranks: from -1 (ever falling) to 1 (ever rising).

    Values that tie share the mean of the ranks that they take up. All sums are of whole numbers; only the last step rounds.

    Raises:
        StatError: Fewer than three values, or all of them tie.
    """
    n = len(values)
    _, which, times = np.unique(np.asarray(values, dtype=float), return_inverse=True, return_counts=True)
    # Twice as far from the middle as the midranks are, so that all are whole numbers.
    ranks = (2 * np.cumsum(times) - times - n)[which]
    places = 2 * np.arange(n) + 1 - n
    spread = int(ranks @ ranks)
    if n < 3 or not spread:
        raise StatError("no drift of fewer than three values, or of values that are all the same")
    return float(int(places @ ranks) / (spread * n * (n * n - 1) / 3) ** 0.5)
