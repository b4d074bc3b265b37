"""Seeded bootstrap replicates of a mean or a median over tasks, exact and in little memory."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stats.law import Lattice, Law, law_of

Blocks: TypeAlias = Iterable[NDArray[np.int64]]
"""Rows of indices into the values, a resample a row."""


def mean_replicates(grid: Lattice, blocks: Blocks) -> Law:
    """The mean of every resample.

    Sums are exact: the integers of the lattice are added limb by limb. On a rounded lattice, sums within n units tie.
    """
    n = len(grid.points)
    least = min(grid.points)
    width = 62 - n.bit_length()
    limbs = _limbs([point - least for point in grid.points], width)
    parts: list[list[NDArray[np.int64]]] = [[] for _ in limbs]
    for block in blocks:
        for part, limb in zip(parts, limbs, strict=True):
            part.append(limb.take(block).sum(axis=1))
    columns = [np.concatenate(part).tolist() for part in parts]
    sums = Counter(columns[0] if len(columns) == 1 else (_joined(row, width) for row in zip(*columns, strict=True)))
    return law_of(
        [(n * least + total, weight) for total, weight in sums.items()],
        unit=grid.unit / n,
        observed=sum(grid.points),
        exact=grid.exact,
        slack=0 if grid.exact else n,
    )


def few_valued_mean_replicates(points: Sequence[int], grid: Lattice, counts: Blocks) -> Law:
    """The mean of every resample of a sample with few ``points`` (its distinct values, ascending), such as wins and losses.

    ``counts`` has a column for each point but the last: how many of a resample's tasks lie at or below it. The spread of the
    points times n must stay within 62 bits.
    """
    n = len(grid.points)
    steps = np.array([after - before for before, after in pairwise(points)], dtype=np.int64)
    short = np.concatenate([block.astype(np.int64) @ steps for block in counts])  # of n times the largest value
    found, weights = np.unique(short, return_counts=True)
    sums = [n * points[-1] - less for less in found.tolist()]
    return law_of(
        list(zip(sums, weights.tolist(), strict=True)), unit=grid.unit / n, observed=sum(grid.points), exact=True
    )


def median_replicates(grid: Lattice, blocks: Blocks) -> Law:
    """The median of every resample. Sorting runs over ranks, so values may be of any size."""
    points = sorted(grid.points)
    n = len(points)
    rank_of = _ranks(grid.points)
    narrow: type[np.unsignedinteger[Any]] = np.uint16 if n <= 1 << 16 else np.uint32
    low, high = (n - 1) // 2, n // 2
    pairs: Counter[int] = Counter()
    for block in blocks:
        ranks = (block if rank_of is None else rank_of.take(block)).astype(narrow)
        ranks.sort(axis=1)  # for narrow integers faster than a partition
        codes, counts = np.unique(ranks[:, low].astype(np.int64) * n + ranks[:, high], return_counts=True)
        pairs.update(dict(zip(codes.tolist(), counts.tolist(), strict=True)))
    return law_of(
        [(points[code // n] + points[code % n], weight) for code, weight in pairs.items()],
        unit=grid.unit / 2,
        observed=points[low] + points[high],
        exact=grid.exact,
    )


def _ranks(points: Sequence[int]) -> NDArray[np.int64] | None:
    """Place of each value in ascending order; None when they ascend already."""
    order = sorted(range(len(points)), key=points.__getitem__)
    if order == list(range(len(points))):
        return None
    ranks = np.empty(len(points), dtype=np.int64)
    ranks[order] = np.arange(len(points))
    return ranks


def _joined(digits: Iterable[int], width: int) -> int:
    return sum(digit << width * place for place, digit in enumerate(digits))


def _limbs(points: Sequence[int], width: int) -> list[NDArray[np.int64]]:
    """The non-negative integers as digits of ``width`` bits, lowest first, so that sums of digits stay within 63 bits."""
    mask = (1 << width) - 1
    limbs: list[NDArray[np.int64]] = []
    rest = list(points)
    while not limbs or any(rest):
        limbs.append(np.array([point & mask for point in rest], dtype=np.int64))
        rest = [point >> width for point in rest]
    return limbs
