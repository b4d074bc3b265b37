"""Numbers that a task writes and the tolerances that a spec fixed beforehand; compared exactly, without floats."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path

from ledger.plain import Plain

MOST_BYTES = 16 * 1024 * 1024
_LARGEST_EXPONENT = 400
"""Beyond any double: a number such as 1e999999999 is refused before it is written out."""


class Unreadable(Exception):  # noqa: N818  # reads as what it says
    """A file that is not there, or is not what its ending says."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """A number with its unit, as a spec writes it: ``304.85 persons``; the unit of a number without one is ``1``."""

    value: Fraction
    unit: str

    @classmethod
    def read(cls, text: Plain) -> "Measured":
        """Read ``NUMBER UNIT``; a spec was checked for that."""
        number, _, unit = str(text).partition(" ")
        return cls(value=Fraction(Decimal(number)), unit=unit)


@dataclass(frozen=True, kw_only=True, slots=True)
class Tolerance:
    """How far a number may lie off: by an amount, by a share of what is expected, or anywhere in an interval."""

    absolute: Fraction | None = None
    relative: Fraction | None = None
    interval: tuple[Fraction, Fraction] | None = None

    @classmethod
    def read(cls, said: Plain) -> "Tolerance":
        """Read ``{absolute: 0.5 persons}``, ``{relative: 1 %}`` or ``{interval: [300 persons, 310 persons]}``."""
        assert isinstance(said, Mapping)
        if "absolute" in said:
            return cls(absolute=Measured.read(said["absolute"]).value)
        if "relative" in said:
            return cls(relative=Measured.read(said["relative"]).value / 100)
        ends = said["interval"]
        assert isinstance(ends, Sequence)
        return cls(interval=(Measured.read(ends[0]).value, Measured.read(ends[1]).value))

    def within(self, found: Fraction, expected: Fraction) -> bool:
        """Say whether a number is near enough; on the edge it is."""
        if self.interval is not None:
            return self.interval[0] <= found <= self.interval[1]
        return abs(found - expected) <= self.width(expected)

    def width(self, expected: Fraction) -> Fraction:
        """Give how far off is just near enough; an interval has no one width, so this is that of its nearer end."""
        if self.interval is not None:
            return min(abs(expected - each) for each in self.interval)
        return self.absolute if self.absolute is not None else abs(expected) * (self.relative or 0)


def number(said: object) -> Fraction | None:
    """Take a value as a number; None for what is none: text, true, NaN, an infinity."""
    if isinstance(said, bool) or not isinstance(said, int | str | Decimal):
        return None
    try:
        value = Decimal(said.strip() if isinstance(said, str) else said)
    except InvalidOperation:
        return None
    if not value.is_finite() or abs(value.adjusted()) > _LARGEST_EXPONENT:
        return None
    return Fraction(value)


def shown(value: Fraction) -> str:
    """Write a number with at most twelve significant digits, as the ledger keeps numbers."""
    rounded = Decimal(f"{Decimal(value.numerator) / Decimal(value.denominator):.12g}")
    return format(rounded.normalize(), "f") if rounded else "0"


def read_json(file: Path) -> object:
    """Read a JSON file; its numbers are Decimals, and NaN is one of those. Raises Unreadable."""
    try:
        return json.loads(_content(file), parse_float=Decimal, parse_constant=Decimal, parse_int=Decimal)
    except (ValueError, RecursionError, InvalidOperation) as fault:
        raise Unreadable(f"{file.name} is not JSON") from fault


def read_table(file: Path) -> list[dict[str, object]]:
    """Read rows by column from CSV with a head, from a JSON list of maps, or from a JSON map of lists. Raises Unreadable."""
    if file.suffix == ".csv":
        reader = csv.DictReader(io.StringIO(_content(file)), strict=True)
        try:
            rows: list[dict[str, object]] = [dict(row) for row in reader]
        except csv.Error as fault:
            raise Unreadable(f"{file.name} is not CSV") from fault
        if any(None in row or None in row.values() for row in rows):
            raise Unreadable(f"{file.name} has rows of different lengths")
        return rows
    said = read_json(file)
    if isinstance(said, list) and all(isinstance(each, dict) for each in said):
        return said
    if isinstance(said, dict) and said and all(isinstance(each, list) for each in said.values()):
        if len({len(each) for each in said.values()}) != 1:
            raise Unreadable(f"{file.name} has columns of different lengths")
        return [dict(zip(said, row, strict=True)) for row in zip(*said.values(), strict=True)]
    raise Unreadable(f"{file.name} is no table: a list of maps or a map of lists")


def inside(root: Path, path: str) -> Path:
    """Give a file of a tree. Raises Unreadable when a link leads out of the tree: the files there are nobody's result."""
    file = root / path
    if not file.resolve().is_relative_to(root.resolve()):
        raise Unreadable(f"{path} leads out of the tree")
    return file


def _content(file: Path) -> str:
    if not file.is_file() or file.is_symlink():
        raise Unreadable(f"{file.name} is not there")
    if file.stat().st_size > MOST_BYTES:
        raise Unreadable(f"{file.name} has more than {MOST_BYTES} bytes")
    return file.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
