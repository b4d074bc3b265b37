"""The values of expressions: exact, and unknown where nothing is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Final, TypeAlias

from spec_lang.expr.types import BoolType, DateType, ListType, NumberType, Type


class Unknown(Enum):
    """The one value of what is not known."""

    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown.UNKNOWN


@dataclass(frozen=True, kw_only=True, slots=True)
class Interval:
    """The value of ``low..high``; both ends belong to it."""

    low: Fraction
    high: Fraction


@dataclass(frozen=True, slots=True)
class Column:
    """One value for each trial of an arm, in the same order for every column."""

    rows: tuple["Value", ...]


Value: TypeAlias = "bool | Fraction | str | date | tuple[Value, ...] | Interval | Column | Unknown"

Given: TypeAlias = "Value | int | Decimal | Sequence[Given] | None"
"""What callers may hand over under a name: an int or Decimal is a number, None is unknown, a list is a list. Never a float."""


def value_of(given: Given) -> Value:
    """Take what a caller gives as a value. Raises TypeError for a float: it is not exact."""
    match given:
        case None:
            return UNKNOWN
        case bool() | Fraction() | str() | Interval() | Column() | Unknown():
            return given
        case datetime():
            return given.astimezone(UTC).date()
        case date():
            return given
        case int() | Decimal():
            return Fraction(given)
        case list() | tuple():
            return tuple(value_of(each) for each in given)
    raise TypeError(f"not a value of the expression language: {given!r}")


def read_plain(plain: object, kind: Type) -> Value:
    """Read a stored fact (an integer, a decimal string, a bool, text, an ISO date, a list) as a value of its type.

    None is unknown. A time of day is taken to its day in UTC. Raises ValueError when the fact is not of that type.
    """
    match kind, plain:
        case _, None:
            return UNKNOWN
        case (BoolType(), bool()):
            return bool(plain)
        case NumberType(), bool():
            raise ValueError(f"a number is expected, not {plain!r}")
        case NumberType(), int() | str() | Decimal():
            return Fraction(plain)
        case DateType(), str():
            return day(plain)
        case ListType(item=item), list() | tuple() if item is not None:
            return tuple(read_plain(each, item) for each in plain)
        case ((NumberType() | BoolType() | DateType() | ListType()), _):
            raise ValueError(f"not of the expected type: {plain!r}")
        case _, str():
            return plain
    raise ValueError(f"not of the expected type: {plain!r}")


def day(text: str) -> date:
    """Read ``2026-07-01`` or an RFC 3339 time with its offset as a day in UTC. Raises ValueError for anything else."""
    if len(text) == len("2026-07-01"):
        return date.fromisoformat(text)
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"a time without its offset from UTC: {text}")
    return moment.astimezone(UTC).date()
