"""The fixed-sequence procedure: hypotheses in an order chosen beforehand, each tested in full while all before it fell."""

from collections.abc import Sequence
from fractions import Fraction

from stats.number import Readable, StatError, exact


def fixed_sequence(p_values: Sequence[Readable]) -> tuple[Fraction, ...]:
    """Adjusted p-values of ordered hypotheses: the running maximum (Maurer, Hothorn & Lehmacher 1995; Westfall & Krishen 2001).

    Rejecting where the adjusted p is at most a level tests each hypothesis at that whole level, and only if all before it
    were rejected; it holds the family-wise error under any dependence. Exact; the order given is the order of testing.

    Raises:
        StatError: none given, one outside 0 … 1 or no number.
    """
    values = [exact(value) for value in p_values]
    if not values:
        raise StatError("no p-values")
    if any(not 0 <= value <= 1 for value in values):
        raise StatError("p outside [0,1]")
    return tuple(max(values[: place + 1]) for place in range(len(values)))
