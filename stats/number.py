"""Reading numbers exactly, and refusing what is no number."""

import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Literal, TypeAlias

Alternative = Literal["two-sided", "less", "greater"]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "less", "greater")

Exact: TypeAlias = int | Fraction
"""What the procedures compute with: no rounding, so ties are ties and the order of the tasks cannot matter."""

Readable: TypeAlias = int | float | str | Decimal | Fraction
"""What ``exact`` reads."""

LEAST = 5e-324
"""The least double above 0: no test of thousands of tasks has a p of nothing, whatever a double can hold."""

_READABLE = 1000
"""Bits of the longest numerator that is written out: some 300 digits."""

_MAX_EXPONENT = 400
"""Decimal strings beyond 1e±400 are refused: their exact value would fill the memory, and no double can hold them."""


RATIO = re.compile(r"(-?[0-9]{1,400})/([1-9][0-9]{0,399})", re.ASCII)
"""An exact fraction, for values that have no short decimal: the mean of three seeds."""


class StatError(ValueError):
    """What was asked for cannot be computed honestly; the message is the reason."""


def exact(value: object) -> Fraction:
    """The number as it was written: an int, Fraction, Decimal, decimal string or ``"1/3"`` as it is, a float by its shortest decimal.

    ``0.1`` is one tenth. So seeds that differ only by rounding error tie. NaN, infinities, booleans and anything else that is
    no number are refused.

    Raises:
        StatError: not a finite number.
    """
    if isinstance(value, float):
        _refuse_non_finite(value)
        return Fraction(repr(value))
    if isinstance(value, bool):
        raise StatError(f"not a number: {value}")
    if isinstance(value, int | Fraction):
        return Fraction(value)
    if isinstance(value, str) and (parts := RATIO.fullmatch(value)):
        return Fraction(int(parts[1]), int(parts[2]))
    if isinstance(value, str):
        try:
            value = Decimal(value)
        except InvalidOperation:
            raise StatError(f"not a number: {value!r}") from None
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise StatError("non-finite value")
        if value and abs(value.adjusted()) > _MAX_EXPONENT:
            raise StatError(f"out of range: {value}")
        return Fraction(value)
    raise StatError(f"not a number: {value!r}")


def exact_double(value: object) -> Fraction:
    """The IEEE double nearest to the number, exactly: subnormals stay non-zero, ``-0.0`` is zero, ``0.1`` is not one tenth.

    For repeating what a program computed that compared doubles.

    Raises:
        StatError: not a finite number, or beyond the doubles.
    """
    try:
        double = value if isinstance(value, float) else float(exact(value))
    except OverflowError:
        raise StatError("out of range of the doubles") from None
    _refuse_non_finite(double)
    return Fraction(double)


def double(value: Exact) -> float:
    """The double nearest to an exact number.

    Raises:
        StatError: beyond the doubles.
    """
    try:
        return float(value)
    except OverflowError:
        raise StatError("out of range of the doubles") from None


def chance(p: Fraction) -> float:
    """The double nearest to a probability; where that is 0 though the probability is not, the least double above 0."""
    return float(p) or (LEAST if p else 0.0)


def of_two_to(p: Fraction, n: int) -> str | None:
    """A share of 2^n written ``k/2^n``; None where k has more digits than can be read."""
    k = int(p * 2**n)
    return f"{k}/2^{n}" if k.bit_length() <= _READABLE else None


def count(value: object, name: str, *, most: int | None = None) -> int:
    """A count: a whole number, zero or more, and ``most`` at most where an exact answer beyond would take too long.

    Raises:
        StatError: anything else.
    """
    number = exact(value)
    if number.denominator != 1:
        raise StatError(f"not an integer count: {name} = {value}")
    if number < 0:
        raise StatError(f"negative count: {name} = {value}")
    if most is not None and number > most:
        raise StatError(f"too large to be computed exactly: {name} = {value}, at most {most}")
    return int(number)


def open_unit(value: object, name: str) -> Fraction:
    """A share strictly between 0 and 1, such as a level, an alpha or a power.

    Raises:
        StatError: anything else.
    """
    number = exact(value)
    if not 0 < number < 1:
        raise StatError(f"{name} must lie strictly between 0 and 1, not {value}")
    return number


def finite(values: Iterable[Exact]) -> tuple[Fraction, ...]:
    """The values as fractions; at least one.

    Raises:
        StatError: none given, or one is not an int or Fraction (a float must be read by ``exact`` or ``exact_double`` first).
    """
    read: list[Fraction] = []
    for value in values:
        if type(value) is Fraction:
            read.append(value)  # as nearly all are; making it anew would take most of the time
        elif isinstance(value, bool) or not isinstance(value, int | Fraction):
            raise StatError(f"not an exact number: {value!r}")
        else:
            read.append(Fraction(value))
    if not read:
        raise StatError("no tasks")
    return tuple(read)


def paired(treatment: Sequence[Fraction], baseline: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Differences treatment - baseline, task by task.

    Raises:
        StatError: unequal lengths.
    """
    if len(treatment) != len(baseline):
        raise StatError(f"unequal lengths: {len(treatment)} and {len(baseline)}")
    return tuple(one - other for one, other in zip(treatment, baseline, strict=True))


def log10(value: Exact) -> float:
    """Base-10 logarithm of a positive number, also where its double would be 0 or infinite."""
    value = Fraction(value)
    if Fraction(1, 10**300) < value < 10**300:
        return math.log10(value)
    return math.log10(value.numerator) - math.log10(value.denominator)


def check_alternative(alternative: str) -> None:
    """Refuse a word that names no alternative.

    Raises:
        StatError: not one of ``ALTERNATIVES``.
    """
    if alternative not in ALTERNATIVES:
        raise StatError(f"alternative must be one of {', '.join(ALTERNATIVES)}, not {alternative!r}")


def _refuse_non_finite(value: float) -> None:
    if not math.isfinite(value):
        raise StatError("non-finite value")
