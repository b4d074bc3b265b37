"""Seeded resampling indices: PCG64's raw words under a bounded mapping of our own, so that no library can change them."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stats.number import StatError

ALGORITHM = "pcg64-multiply-shift-v1"
"""Words of PCG64 (XSL-RR 128/64, O'Neill 2014) seeded through numpy's SeedSequence, both of which numpy keeps for good. Each
64-bit word gives two 32-bit halves, the low one first; a half h becomes the index (h·n) >> 32. Resample r of n tasks reads the
halves r·n … r·n + n - 1. No index is favoured by more than n·2^-32 of its chance."""

_CHUNK = 1 << 20
"""Indices held at a time; the stream does not depend on it."""

_MOST = 1 << 24
MOST_RESAMPLES = 10_000_000
"""More than a seed's noise could ever need; beyond it the ideal law is the answer."""


_KEPT = 1 << 18
"""Up to so many indices are kept for the next call with the same arguments, as many endpoints and rehearsals make it."""


def resample_indices(n: int, *, resamples: int, seed: int) -> Iterable[NDArray[np.int64]]:
    """Blocks of rows of n indices in 0 … n-1, ``resamples`` rows in all; memory does not grow with their number.

    A block may be shared between calls: it is read, never written.

    Raises:
        StatError: n or resamples below 1, n above 2^24, resamples above ten million, or a negative seed.
    """
    _check(n, resamples, seed)
    return _kept(n, resamples, seed) if n * resamples <= _KEPT else _drawn(n, resamples, seed)


def counts_below(n: int, bounds: Sequence[int], *, resamples: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """How many indices of each resample lie below each bound: rows of ``resample_indices``, counted without being made.

    An index (h·n) >> 32 is below k exactly when its half h is below k·2^32/n, so the halves are compared as they come.

    Raises:
        StatError: as ``resample_indices``.
    """
    _check(n, resamples, seed)
    limits = [-(-(bound << 32) // n) for bound in bounds]
    narrow = np.uint16 if n < 1 << 16 else np.uint32  # the narrower, the more of them are added at once
    for halves in _halves(n, resamples, seed):
        rows = halves.reshape(-1, n)
        columns = [
            np.full(len(rows), n) if limit >> 32 else (rows < np.uint32(limit)).view(np.uint8).sum(axis=1, dtype=narrow)
            for limit in limits
        ]
        yield np.stack(columns, axis=1)


def _check(n: int, resamples: int, seed: int) -> None:
    if not 1 <= n <= _MOST:
        raise StatError(f"cannot resample {n} tasks")
    if not 1 <= resamples <= MOST_RESAMPLES:
        raise StatError(f"resamples must be 1 to {MOST_RESAMPLES}, not {resamples}")
    if seed < 0:
        raise StatError(f"seed must not be negative: {seed}")


@lru_cache(maxsize=8)
def _kept(n: int, resamples: int, seed: int) -> tuple[NDArray[np.int64], ...]:
    blocks = tuple(_drawn(n, resamples, seed))
    for block in blocks:
        block.flags.writeable = False
    return blocks


def _drawn(n: int, resamples: int, seed: int) -> Iterator[NDArray[np.int64]]:
    for halves in _halves(n, resamples, seed):
        wide = halves.astype(np.uint64)
        wide *= np.uint64(n)
        wide >>= np.uint64(32)
        yield wide.view(np.int64).reshape(-1, n)


def _halves(n: int, resamples: int, seed: int) -> Iterator[NDArray[np.uint32]]:
    """The stream's halves, whole rows of n at a time."""
    generator = np.random.PCG64(seed)
    rows = max(_CHUNK // n, 2) & ~1  # even, so that a block ends on a whole word
    for start in range(0, resamples, rows):
        wanted = min(rows, resamples - start) * n
        words = generator.random_raw((wanted + 1) // 2).astype("<u8", copy=False)
        yield words.view("<u4")[:wanted]
