"""The fixed-sequence procedure: hypotheses in an order chosen beforehand, each tested in full while all before it fell."""

from collections.abc import Sequence
from fractions import Fraction

from stats.holm import family
from stats.number import Readable


def fixed_sequence(p_values: Sequence[Readable]) -> tuple[Fraction, ...]:
    """Adjusted p-values of ordered hypotheses: the running maximum (Maurer, Hothorn & Lehmacher 1995; Westfall & Krishen 2001).

    Rejecting where the adjusted p is at most a level tests each hypothesis at that whole level, and only if all before it
    were rejected; it holds the family-wise error under any dependence. Exact; the order given is the order of testing.

    Raises:
        StatError: As ``stats.holm.family``.
    """
    values = family(p_values)
    return tuple(max(values[: place + 1]) for place in range(len(values)))
