"""The types of expressions: numbers with units, truth values, text, dates, lists, ranges and columns."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from spec_lang.quantity import Dimension

Flavour = Literal["plain", "share", "points"]


@dataclass(frozen=True, kw_only=True, slots=True)
class NumberType:
    """A number: the powers of its base units, sorted by name (``USD/task``); without units, whether it is a share or points.

    A share is a part of a whole (% = 1/100); points are a difference of two shares (pp).
    """

    units: tuple[tuple[str, int], ...] = ()
    flavour: Flavour = "plain"


@dataclass(frozen=True, kw_only=True, slots=True)
class BoolType:
    """True or false."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TextType:
    """Text; where only some values occur they are listed, so that a misspelt one is a fault."""

    values: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class DateType:
    """A day (UTC)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ListType:
    """A list; ``item`` is None for the empty list, which fits every list."""

    item: "Type | None"


@dataclass(frozen=True, kw_only=True, slots=True)
class RangeType:
    """A range of numbers, both ends included."""

    of: NumberType


@dataclass(frozen=True, kw_only=True, slots=True)
class ColumnType:
    """One value for each trial of an arm; it has to be aggregated."""

    of: "Type"


@dataclass(frozen=True, kw_only=True, slots=True)
class FaultyType:
    """The type of what is at fault already; it fits everything, so that one fault is reported once."""


Type: TypeAlias = NumberType | BoolType | TextType | DateType | ListType | RangeType | ColumnType | FaultyType

NUMBER, SHARE, POINTS = NumberType(), NumberType(flavour="share"), NumberType(flavour="points")
MONEY, TIME, SIZE = (NumberType(units=((name, 1),)) for name in ("USD", "s", "bytes"))
TASK, TRIAL, TURN, TOKEN = (NumberType(units=((name, 1),)) for name in ("task", "trial", "turn", "token"))
BOOL, TEXT, DATE, FAULTY = BoolType(), TextType(), DateType(), FaultyType()

DIMENSIONS: Mapping[Dimension, NumberType] = {
    "number": NUMBER,
    "time": TIME,
    "money": MONEY,
    "size": SIZE,
    "share": SHARE,
    "points": POINTS,
    "task": TASK,
    "trial": TRIAL,
    "turn": TURN,
    "token": TOKEN,
}
_NAMES: Mapping[str, Type] = {
    "number": NUMBER,
    "share": SHARE,
    "pp": POINTS,
    "USD": MONEY,
    "s": TIME,
    "bytes": SIZE,
    "task": TASK,
    "trial": TRIAL,
    "turn": TURN,
    "token": TOKEN,
    "bool": BOOL,
    "text": TEXT,
    "date": DATE,
}


_COUNTED = {"s": "time", "bytes": "a size"} | {
    name: f"a number of {name}s" for name in ("task", "trial", "turn", "token")
}


def named(name: str) -> Type:
    """Give the type that tables of the catalogue call ``name``: ``USD``, ``list[text]``, ``text: pass, fail``."""
    if name.startswith("list["):
        return ListType(item=named(name[5:-1]))
    if name.startswith("text: "):
        return TextType(values=tuple(name[6:].split(", ")))
    return _NAMES[name]


def unit_name(kind: Type) -> str:
    """Name the unit in which values are stored and shown: ``USD``, ``s``, ``share``, ``pp``, ``number``, ``USD/task``, ``bool``."""
    if isinstance(kind, NumberType):
        if not kind.units:
            return {"plain": "number", "share": "share", "points": "pp"}[kind.flavour]
        above = [_power(name, power) for name, power in kind.units if power > 0]
        below = [_power(name, -power) for name, power in kind.units if power < 0]
        return "/".join(["*".join(above) or "1", *below])
    return {BoolType: "bool", TextType: "text", DateType: "date"}.get(type(kind), "value")


def _power(name: str, power: int) -> str:
    return name if power == 1 else f"{name}^{power}"


def describe(kind: Type) -> str:
    """Say a type in a message, with its article where it has one."""
    match kind:
        case NumberType(units=()):
            return {"plain": "a number", "share": "a share", "points": "a difference of shares"}[kind.flavour]
        case NumberType():
            return _COUNTED.get(unit_name(kind), unit_name(kind))
        case BoolType():
            return "true or false"
        case TextType():
            return "text"
        case DateType():
            return "a date"
        case ListType(item=None):
            return "an empty list"
        case ListType(item=item):
            return f"a list of {describe(item).removeprefix('a ')}" if item else "a list"
        case RangeType():
            return "a range"
        case ColumnType():
            return "a column"
        case FaultyType():
            return "at fault"


def product(left: NumberType, right: NumberType, sign: Literal["*", "/"]) -> NumberType:
    """Derive the type of ``left * right`` or ``left / right``; it always exists.

    A share scales what it meets (``95 % * cost`` is USD). Points stay points when scaled by a number or a share.
    """
    powers = dict(left.units)
    for name, power in right.units:
        powers[name] = powers.get(name, 0) + (power if sign == "*" else -power)
    units = tuple(sorted((name, power) for name, power in powers.items() if power))
    if units or left.units:
        return NumberType(units=units)
    both = (left.flavour, right.flavour)
    if both == ("share", "share") and sign == "*":
        return SHARE
    if "points" in both and not (sign == "/" and right.flavour == "points") and both != ("points", "points"):
        return POINTS
    return NUMBER


def total(left: NumberType, right: NumberType, sign: Literal["+", "-"]) -> NumberType | None:
    """Derive the type of ``left + right`` or ``left - right``; None when they do not add up.

    share - share = points; share ± points = share; points ± points = points; a number and points do not add up.
    """
    if left.units or right.units:
        return left if left.units == right.units else None
    match left.flavour, right.flavour:
        case "share", "share":
            return POINTS if sign == "-" else SHARE
        case ("share", "points") | ("points", "points"):
            return left
        case "points", "share":
            return SHARE if sign == "+" else None
        case ("points", "plain") | ("plain", "points"):
            return None
        case _:
            return NUMBER


def comparable(left: Type, right: Type) -> bool:
    """Say whether two values can be compared for equality (numbers and dates also for order)."""
    match left, right:
        case (FaultyType(), _) | (_, FaultyType()):
            return True
        case NumberType(), NumberType():
            return left.units == right.units and (left.flavour == "points") == (right.flavour == "points")
        case ListType(item=one), ListType(item=other):
            return one is None or other is None or comparable(one, other)
        case RangeType(), _:
            return False
        case _:
            return type(left) is type(right)
