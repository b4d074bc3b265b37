"""Where something stands in a text: sources, positions and spans."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A text that was read, and the name to show for it.

    ``name`` is the path as the user typed it; ``text`` is decoded and unchanged.
    """

    name: str
    text: str

    def line(self, number: int) -> str:
        """Give line ``number`` (from 1) without its line feed, or the empty string behind the end."""
        lines = self.text.split("\n")
        return lines[number - 1] if 0 < number <= len(lines) else ""


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Position:
    """A place in a text: line and column, both from 1, columns counted in characters."""

    line: int
    column: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """A stretch of one source, from ``start`` up to but not including ``end``.

    A span is for people only; it never enters anything that is hashed.
    """

    source: Source
    start: Position
    end: Position

    def __str__(self) -> str:
        return f"{self.source.name}:{self.start.line}:{self.start.column}"
