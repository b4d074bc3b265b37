"""Seeded sign vectors for a sign-flip test too large to enumerate."""

from collections.abc import Sequence

import numpy as np

from stats.number import StatError
from stats.stream import MOST_RESAMPLES

_CHUNK = 1 << 20


def hits(sizes: Sequence[int], bound: int, *, resamples: int, seed: int) -> int:
    """How many of ``resamples`` random subsets of ``sizes`` sum to at most ``bound``.

    A subset reads ceil(n/64) raw words of PCG64, the k-th size taking the k-th bit, lowest first. Sizes beyond 62 bits are
    rounded down and the bound up, so that a tie is never lost: the count can only grow, p with it.

    Raises:
        StatError: a negative seed, or resamples outside 1 … ten million.
    """
    if not 1 <= resamples <= MOST_RESAMPLES:
        raise StatError(f"resamples must be 1 to {MOST_RESAMPLES}, not {resamples}")
    if seed < 0:
        raise StatError(f"seed must not be negative: {seed}")
    n = len(sizes)
    spare = max(sum(sizes).bit_length() - 62, 0)
    scaled = np.array([size >> spare for size in sizes], dtype=np.int64)
    limit = (bound >> spare) + (1 if spare else 0)
    words = -(-n // 64)
    generator = np.random.PCG64(seed)
    rows = max(_CHUNK // (64 * words), 1)
    found = 0
    for start in range(0, resamples, rows):
        height = min(rows, resamples - start)
        raw = generator.random_raw(height * words).astype("<u8", copy=False).view(np.uint8).reshape(height, -1)
        taken = np.unpackbits(raw, axis=1, count=n, bitorder="little")
        found += int((taken @ scaled <= limit).sum())
    return found
