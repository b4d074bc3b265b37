"""What a report is made of, whatever it is written in: sections of sentences, lists, tables and figures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

MOST_LISTED = 40
"""A listing of more rows is folded on a page, and shown by its beginning in Markdown."""

LISTED = frozenset({"task", "trial", "candidate"})
"""What the first column of a listing is headed by."""

Tone = Literal["", "good", "bad", "open", "number", "code", "muted"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One cell: its text, how it is meant (a page may colour it; the text says all by itself), and all its digits.

    ``exact`` is the number as it was computed, where the text rounds it.
    """

    text: str
    tone: Tone = ""
    exact: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A table; the first cell of a row heads it. Without rows, ``empty`` says what that means."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    empty: str = "none"

    @property
    def listing(self) -> bool:
        """Whether it has one row a task, trial or candidate, so that nobody reads it through once it is long."""
        return self.columns[0] in LISTED

    @property
    def long(self) -> bool:
        """Whether it is a listing of more rows than one looks over."""
        return self.listing and len(self.rows) > MOST_LISTED


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """A picture: what it is called, what it says to a reader who cannot see it, and how it is drawn as SVG when asked for.

    ``tables`` hold its numbers where no other table of its section does.
    """

    id: str
    title: str
    says: str
    draw: Callable[[], str] = field(compare=False)
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A part of the report under a heading."""

    id: str
    title: str
    lead: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A whole report."""

    title: str
    name: str
    banner: tuple[str, ...]
    label: str
    status: str
    verdict: str
    claim: str
    wording: str
    question: str
    sections: tuple[Section, ...]
    numbers: tuple[str, ...] = ()
    """Every number of the page as a line for the calculator; they make a file of their own."""


def cells(*texts: str | Cell) -> tuple[Cell, ...]:
    """Make a row."""
    return tuple(each if isinstance(each, Cell) else Cell(text=each) for each in texts)


def number(text: str, exact: object = None) -> Cell:
    """Make a cell that is a number; ``exact`` is what it rounds."""
    return Cell(text=text, tone="number", exact=repr(exact) if isinstance(exact, float) else "")


def code(text: str) -> Cell:
    """Make a cell that is a digest, an expression or a name."""
    return Cell(text=text, tone="code")


def table(caption: str, columns: Sequence[str], rows: Sequence[tuple[Cell, ...]], empty: str = "none") -> Table:
    """Make a table."""
    return Table(caption=caption, columns=tuple(columns), rows=tuple(rows), empty=empty)
