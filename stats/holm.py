"""Holm's step-down adjustment of p-values, and what any family of them must be."""

from collections.abc import Sequence
from fractions import Fraction

from stats.number import Readable, StatError, exact


def family(p_values: Sequence[Readable]) -> list[Fraction]:
    """Read the p-values of a family exactly.

    Raises:
        StatError: none given, one outside 0 … 1 or no number.
    """
    values = [exact(value) for value in p_values]
    if not values:
        raise StatError("no p-values")
    if any(not 0 <= value <= 1 for value in values):
        raise StatError("p outside [0,1]")
    return values


def holm(p_values: Sequence[Readable]) -> tuple[Fraction, ...]:
    """Adjusted p-values in the order given (Holm 1979): holds the family-wise error under any dependence. Exact.

    Raises:
        StatError: As ``family``.
    """
    values = family(p_values)
    adjusted = [Fraction(0)] * len(values)
    highest = Fraction(0)
    for place, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min((len(values) - place) * values[index], Fraction(1)))
        adjusted[index] = highest
    return tuple(adjusted)
