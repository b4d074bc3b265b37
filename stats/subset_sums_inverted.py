"""The share of subsets within a bound by inverting a characteristic function: for thousands of sizes, with a proven error.

Let W be the sum of a subset that takes every size r with probability 1/2. Under a tilt s < 0 it takes r with probability
p = e^{sr}/(1 + e^{sr}) instead; let K(s) = Σ log((1 + e^{sr})/2), and φ the characteristic function of W so tilted. Then

    P(W <= w) = e^{K(s) - sw} · ( 1/M · Σ_m φ(t_m) e^{-iwt_m} / (1 - e^{s + it_m})  -  alias ),   t_m = 2πm/M, m = 0 … M - 1,

    0 <= alias <= e^{s(w + M - T)} / (1 - e^{sM})   for M > w, T being the sum of all sizes.

This is the inversion of a lattice law on a shifted contour (Abate & Whitt 1992, Operations Research Letters 12:245), the
shift being the saddlepoint of Daniels (1954), so that the error is relative, however small the share. At almost all t_m, φ is next
to nothing. That is proved, arc by arc: |φ(t)| <= exp(-Σ p(1 - p)(1 - cos rt)), and on a short arc no cosine goes far.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, expm1, log, pi

import numpy as np
from numpy.typing import NDArray

_NEGLIGIBLE = 60
"""A frequency is left out when |φ| is below e^-60 there; the alias is made as small."""

_FINE = 16
"""An arc of so few frequencies is not halved again."""

_TABLE, _MOST = 1 << 20, 1 << 27
"""Numbers in one table, and in all tables together (some seconds)."""

_UNIT = 2.0**-53
_OF_FACTOR = 16 * _UNIT
"""What one factor of φ may be off by in doubles, with its multiplication: a sine, a cosine, a probability, a few products."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tilted:
    """The law to invert: ascending sizes and how often each is there, the tilt, the probability of each under it, w, and M."""

    sizes: Integers
    times: Integers
    tilt: float
    taken: Floats
    bound: int
    total: int
    grid: int


def inverted_share(sizes: Sequence[int], bound: int, *, precision: float) -> Fraction | None:
    """Share of the 2^n subsets of positive ``sizes`` whose sum is at most ``bound``, 0 < ``bound`` <= half of their sum.

    Some 0.2 s for the signed ranks of 10,000 tasks. None where the frequencies that matter are too many, or the error could
    not be proved to be below ``precision``, a relative one.
    """
    law = _tilted(*np.unique(np.array(sizes, dtype=np.int64), return_counts=True), bound)
    frequencies = _frequencies(law)
    if frequencies is None:
        return None
    total, doubt = 0.0, 0.0
    for some in _tables(frequencies, len(law.sizes)):
        value, error = _inverted(law, some)
        total, doubt = total + value, doubt + error
    share = total / law.grid
    alias = exp(law.tilt * (bound + law.grid - law.total)) / -expm1(law.tilt * law.grid)
    left_out = exp(-_NEGLIGIBLE) / -expm1(law.tilt)
    scale = float((np.log1p(np.exp(law.tilt * law.sizes)) * law.times).sum()) - len(sizes) * log(2) - law.tilt * bound
    of_scale = 4 * _UNIT * (len(sizes) - law.tilt * bound)
    if share <= 0 or (doubt / law.grid + alias + left_out) / share + of_scale > precision:
        return None
    return _exp(scale + log(share))


def _tilted(sizes: Integers, times: Integers, bound: int) -> Tilted:
    """Tilt the law so that its mean is the bound, but not so little that the pole at s = 0 comes nearer than one deviation."""

    def above(tilt: float) -> bool:
        return bool((sizes * times * _taken(sizes, tilt)).sum() > bound)

    low = high = -2 / float(np.sqrt((sizes.astype(float) ** 2 * times).sum()))
    while above(low):
        low, high = 2 * low, low
    for _ in range(20):  # any tilt is right; one near the saddlepoint needs few frequencies
        middle = (low + high) / 2
        low, high = (low, middle) if above(middle) else (middle, high)
    total = int((sizes * times).sum())
    return Tilted(
        sizes=sizes,
        times=times,
        tilt=high,
        taken=_taken(sizes, high),
        bound=bound,
        total=total,
        grid=max(bound + 1, total - bound + ceil(_NEGLIGIBLE / -high)),
    )


def _taken(sizes: Integers, tilt: float) -> Floats:
    taken: Floats = 1 / (1 + np.exp(np.minimum(-tilt * sizes, 700.0)))
    return taken


def _frequencies(law: Tilted) -> Integers | None:
    """Give every m from 0 to M/2 at which |φ| is not proved to be below e^-60; None when they are too many to sum over."""
    arcs = np.array([[0, law.grid // 2 + 1]], dtype=np.int64)
    while (arcs[:, 1] - arcs[:, 0]).max(initial=0) > _FINE:
        middle = arcs.sum(axis=1) // 2
        arcs = np.concatenate([np.stack([arcs[:, 0], middle], axis=1), np.stack([middle, arcs[:, 1]], axis=1)])
        arcs = np.concatenate([some[_exponents(law, some) < _NEGLIGIBLE] for some in _tables(arcs, len(law.sizes))])
        if arcs.size * len(law.sizes) > _MOST:
            return None
    if int((arcs[:, 1] - arcs[:, 0]).sum()) * len(law.sizes) > _MOST:
        return None
    found: Integers = np.concatenate([np.arange(first, last) for first, last in arcs])
    return found


def _exponents(law: Tilted, arcs: Integers) -> Floats:
    """Give the least that Σ p(1 - p)(1 - cos rt) can be on each arc of frequencies (first, behind the last)."""
    width = arcs[:, 1] - arcs[:, 0] - 1
    # Sizes that go all the way round on every arc prove nothing.
    some = slice(0, int(np.searchsorted(law.sizes, law.grid / max(int(width.min()), 1))))
    sizes, taken, times = law.sizes[some], law.taken[some], law.times[some]
    around = 2 * law.grid
    middle = (arcs.sum(axis=1) - 1)[:, None] * sizes % around  # in half steps of the grid, exactly
    away = np.minimum(middle, around - middle) - width[:, None] * sizes
    nearest = np.cos(np.maximum(away, 0) * (pi / law.grid))
    exponents: Floats = (1 - nearest) @ (times * taken * (1 - taken))
    return exponents


def _inverted(law: Tilted, frequencies: Integers) -> tuple[float, float]:
    """Sum the terms of some frequencies, each with its mirror image beyond M/2, and bound what rounding may do to the sum."""
    grid = law.grid
    turned = frequencies[:, None] * law.sizes % grid  # exactly, so that no angle loses digits
    angle = np.where(2 * turned > grid, turned - grid, turned) * (2 * pi / grid)
    factors = (1 - law.taken) + law.taken * np.cos(angle) + 1j * (law.taken * np.sin(angle))
    factors = np.where(np.abs(factors) < _UNIT, _UNIT, factors)
    apart = np.array([int(each) * law.bound % grid for each in frequencies]) * (2 * pi / grid)
    pole = -np.expm1(law.tilt + 2j * pi * frequencies / grid)
    twice = np.where((frequencies == 0) | (2 * frequencies == grid), 1.0, 2.0)
    terms = twice * _powers(factors, law.times).prod(axis=1) * np.exp(-1j * apart) / pole
    doubts = np.abs(terms) * ((law.times / np.abs(factors)).sum(axis=1) + 2) * _OF_FACTOR
    return float(terms.real.sum()), float(doubts.sum())


def _powers(factors: NDArray[np.complex128], times: Integers) -> NDArray[np.complex128]:
    """Raise each column to its power by squaring, so that an error grows no faster than the power."""
    found = np.ones_like(factors)
    while times.any():
        found = np.where(times & 1, found * factors, found)
        factors, times = factors * factors, times >> 1
    return found


def _tables(rows: Integers, columns: int) -> Iterator[Integers]:
    """Cut rows so that no table of so many columns grows too large."""
    step = max(_TABLE // columns, 1)
    return (rows[start : start + step] for start in range(0, len(rows), step))


def _exp(exponent: float) -> Fraction:
    """Give e to a power that doubles may be too narrow for."""
    twos = round(exponent / log(2))
    return Fraction(exp(exponent - twos * log(2))) * Fraction(2) ** twos
