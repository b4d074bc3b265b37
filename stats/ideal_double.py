"""Ideal bootstrap laws of many tasks, with probabilities in doubles."""

from collections.abc import Mapping, Sequence
from math import comb, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WHOLE = 2.0**61
"""Probabilities become integers of this whole, so that every law is summed and ranked in integers."""
_SPREAD = 9.0
"""Order statistics further than so many standard deviations from the middle are left out (chance below 1e-16)."""


_NOISE = 1e-16
"""A Fourier transform leaves so much on places that no resample reaches; it is wiped off."""


def median_weights(points: Sequence[int]) -> tuple[list[int], list[int]]:
    """(twice the median ascending, cumulative weight) over resamples of the sorted ``points``."""
    n = len(points)
    window = int(_SPREAD * n**0.5 / 2) + 2
    first, last = n // 2 - window, n // 2 + 1 + window  # inside 1 … n from 100 tasks on
    exact = np.array(points[first - 1 : last], dtype=np.int64 if max(map(abs, points)) < 1 << 61 else object)
    ranks = np.arange(first, last + 1)
    if n % 2:
        return _cumulated(2 * exact, np.diff(_at_or_below(n, np.append(first - 1, ranks))))
    half = n // 2
    # In logarithms, since the factors alone over- and underflow. Lower middle on the i-th rank, upper one on the j-th, i < j.
    lower = log(comb(n, half)) + _log_step(ranks, n, half)
    upper = _log_step(n - ranks + 1, n, half)
    i, j = np.triu_indices(len(ranks), 1)
    apart = np.exp(lower[i] + upper[j])
    # Both on one rank: its chance as the lower middle, less that with the upper one above it.
    together = np.diff(_at_or_below(n, np.append(first - 1, ranks))) - np.exp(lower + half * np.log1p(-ranks / n))
    return _cumulated(np.append(exact[i] + exact[j], 2 * exact), np.append(apart, np.maximum(together, 0)))


def mean_weights(counts: Mapping[int, int], n: int) -> tuple[list[int], list[int]]:
    """(place of the sum ascending, cumulative weight) when each of n draws takes place p with chance counts[p]/n."""
    size = 1 << (n * max(counts)).bit_length()
    single = np.zeros(size)
    single[list(counts)] = np.array(list(counts.values())) / n
    weights = np.fft.irfft(np.fft.rfft(single) ** n, size)
    places = np.flatnonzero(weights > _NOISE)
    return _cumulated(places, weights[places])


def _at_or_below(n: int, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Chance that the lower middle order statistic of n draws is at or below each rank."""
    half = (n + 1) // 2
    draws = np.arange(half, min(n, half + int(2 * _SPREAD * n**0.5)) + 1)
    chance = (ranks / n)[:, None]
    logs = _log_choose(n, draws) + draws * np.log(chance) + (n - draws) * np.log1p(-chance)
    sums: NDArray[np.float64] = np.exp(logs).sum(axis=1)
    return sums


def _log_choose(n: int, draws: NDArray[np.int64]) -> NDArray[np.float64]:
    term = comb(n, int(draws[0]))
    logs = []
    for k in draws.tolist():
        logs.append(log(term))
        term = term * (n - k) // (k + 1)
    return np.array(logs)


def _log_step(ranks: NDArray[np.int64], n: int, half: int) -> NDArray[np.float64]:
    """log((r/n)^half - ((r-1)/n)^half) for r = ranks."""
    logs: NDArray[np.float64] = half * np.log(ranks / n) + np.log(-np.expm1(half * np.log1p(-1 / ranks)))
    return logs


def _cumulated(values: NDArray[Any], weights: NDArray[np.float64]) -> tuple[list[int], list[int]]:
    order = np.argsort(values, kind="stable")
    values = values[order]
    cumulative = np.cumsum(np.rint(weights[order] / weights.sum() * _WHOLE).astype(np.int64))
    last = np.append(values[1:] != values[:-1], True)
    return values[last].tolist(), cumulative[last].tolist()
