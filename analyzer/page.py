"""What a report is made of, whatever it is written in: sections of sentences, lists and tables, and a picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Tone = Literal["", "good", "bad", "open", "number", "code", "muted"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One cell: its text, and how it is meant (a page may colour it; the text says all by itself)."""

    text: str
    tone: Tone = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A table; the first cell of a row heads it. Without rows, ``empty`` says what that means."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    empty: str = "none"


@dataclass(frozen=True, kw_only=True, slots=True)
class Strip:
    """One line of the picture, in its own unit; places run from 0 to 1 along the line.

    ``dots`` are the tasks, ``estimate`` and the ends of the interval as they stand in the table; None is not there.
    """

    label: str
    says: str
    dots: tuple[float, ...]
    zero: float | None
    estimate: float | None
    lower: float | None
    upper: float | None
    left: str
    right: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A part of the report under a heading."""

    id: str
    title: str
    lead: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    strips: tuple[Strip, ...] = ()
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A whole report."""

    title: str
    banner: tuple[str, ...]
    label: str
    status: str
    verdict: str
    claim: str
    wording: str
    question: str
    sections: tuple[Section, ...]


def cells(*texts: str | Cell) -> tuple[Cell, ...]:
    """Make a row."""
    return tuple(each if isinstance(each, Cell) else Cell(text=each) for each in texts)


def number(text: str) -> Cell:
    """Make a cell that is a number."""
    return Cell(text=text, tone="number")


def code(text: str) -> Cell:
    """Make a cell that is a digest, an expression or a name."""
    return Cell(text=text, tone="code")


def table(caption: str, columns: Sequence[str], rows: Sequence[tuple[Cell, ...]], empty: str = "none") -> Table:
    """Make a table."""
    return Table(caption=caption, columns=tuple(columns), rows=tuple(rows), empty=empty)
