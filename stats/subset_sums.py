"""How many subsets of a list of sizes stay within a bound: the law behind every sign-flip test."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Literal

INTEGER_BUDGET = 2_000_000_000
"""Bits that the integer count may move in all (some 50 ms); beyond it the same sum runs in doubles."""

DOUBLE_BUDGET = 1_000_000_000
"""Additions that the sum in doubles may take (some 0.2 s); beyond it a characteristic function is inverted."""

PRECISION = 1e-9
"""What the relative error of an inverted share is proved to be below; a share of which that is not proved is not given."""

Method = Literal["integers", "doubles", "characteristic-function"]
"""How a share was found: counted; summed by the same recurrence, relative error below 1e-12; or inverted, within ``PRECISION``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """A share of all subsets, and how it was found."""

    value: Fraction
    method: Method = "integers"

    @property
    def exact(self) -> bool:
        """Whether every subset was counted."""
        return self.method == "integers"


def fits_integers(sizes: Sequence[int], bound: int) -> bool:
    """Whether the exact count stays within the budget."""
    return len(sizes) * (len(sizes) + 2) * (bound + 1) <= INTEGER_BUDGET


def fits_doubles(sizes: Sequence[int], bound: int) -> bool:
    """Whether the same count in doubles stays within its budget."""
    return len(sizes) * (bound + 1) <= DOUBLE_BUDGET


def share_up_to(sizes: Sequence[int], bound: int) -> Share:
    """Share of the 2^n subsets of positive ``sizes`` whose sum is at most ``bound``.

    Exact in integers where that is affordable (always for a short tail), else in doubles by the same recurrence; where that
    too would take long, by inverting the characteristic function.
    """
    if bound < 0:
        return Share(value=Fraction(0))
    total = sum(sizes)
    unit = gcd(*sizes) if sizes else 1
    if unit > 1:
        return share_up_to([size // unit for size in sizes], bound // unit)
    if bound >= total:
        return Share(value=Fraction(1))
    if 2 * bound > total:  # the law is symmetric: count the shorter tail
        other = share_up_to(sizes, total - bound - 1)
        return Share(value=1 - other.value, method=other.method)
    if fits_integers(sizes, bound):
        slot = len(sizes) + 2
        # Modulo 2^slot - 1 every slot weighs 1, so this adds up all coefficients.
        count = _packed_counts(sizes, bound, slot) % ((1 << slot) - 1)
        return Share(value=Fraction(count, 2 ** len(sizes)))
    from stats.subset_sums_double import counts  # noqa: PLC0415 - numpy is loaded for large problems only
    from stats.subset_sums_inverted import inverted_share  # noqa: PLC0415

    if not fits_doubles(sizes, bound) and (inverted := inverted_share(sizes, bound, precision=PRECISION)) is not None:
        return Share(value=inverted, method="characteristic-function")
    mantissas, exponent = counts(sizes, bound)
    share = Fraction(float(mantissas.sum())) * Fraction(2) ** (exponent - len(sizes))
    return Share(value=share, method="doubles")


def counts_up_to(sizes: Sequence[int], bound: int) -> list[int]:
    """Exact number of subsets with sum 0, 1, … ``bound``. Time grows as len(sizes)²·bound."""
    width = (len(sizes) + 2 + 7) // 8
    packed = _packed_counts(sizes, bound, 8 * width).to_bytes(width * (bound + 1), "little")
    return [int.from_bytes(packed[start : start + width], "little") for start in range(0, len(packed), width)]


def _packed_counts(sizes: Sequence[int], bound: int, slot: int) -> int:
    """The polynomial of the counts in one integer, ``slot`` bits a coefficient, cut above ``bound``."""
    mask = (1 << slot * (bound + 1)) - 1
    packed = 1
    for size in sizes:
        if size <= bound:
            packed = (packed + (packed << slot * size)) & mask
        # A larger size can only be left out: it doubles 2^n, not the count.
    return packed
