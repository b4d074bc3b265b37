"""Puts fractions in order by their nearest doubles, and by themselves only where those are the same."""

from fractions import Fraction
from math import inf


def place(value: Fraction) -> tuple[float, Fraction]:
    """Give a key to sort by: rounding keeps the order, and comparing doubles takes a tenth of the time."""
    try:
        return float(value), value
    except OverflowError:
        return (inf if value > 0 else -inf), value
