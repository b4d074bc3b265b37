"""Change relative to the baseline, task by task."""

from collections.abc import Sequence
from fractions import Fraction

from stats.number import Exact, StatError, finite
from stats.order import place
from stats.total import total


def relative_changes(baseline: Sequence[Exact], treatment: Sequence[Exact]) -> tuple[Fraction, ...]:
    """treatment/baseline - 1 of every task, exactly: 0.33 after 0.3 is one tenth, and ties with every other tenth.

    Raises:
        StatError: no tasks, unequal lengths, or a baseline of 0 (its change has no size) or below (it has no direction).
    """
    before, after = finite(baseline), finite(treatment)
    if len(before) != len(after):
        raise StatError(f"unequal lengths: {len(before)} and {len(after)}")
    if 0 in before:
        raise StatError("baseline of 0")
    if min(before) < 0:
        raise StatError("negative baseline")
    return tuple(new / old - 1 for old, new in zip(before, after, strict=True))


def median(values: Sequence[Exact]) -> Fraction:
    """The middle value, or the mean of the middle two. Exact.

    Raises:
        StatError: no values.
    """
    ordered = sorted(finite(values), key=place)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def mean(values: Sequence[Exact]) -> Fraction:
    """The arithmetic mean. Exact.

    Raises:
        StatError: no values.
    """
    numbers = finite(values)
    return total(numbers) / len(numbers)
