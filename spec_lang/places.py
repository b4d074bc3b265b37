"""Where each character of a scalar's value stands in the source, however the scalar was written."""

from spec_lang.span import Position, Source
from spec_lang.yaml_tree import Scalar

_ESCAPE_WIDTHS = {"x": 4, "u": 6, "U": 10}
_BLANK = " \n"


def places(scalar: Scalar) -> tuple[Position, ...]:
    """Give the position of each character of ``scalar.text``, and of its end.

    The value and its raw characters are walked side by side: folded lines, indentation, doubled quotes and escapes
    are passed over. A line break that was folded into a space stands where the line ends.
    """
    source = scalar.span.source
    start, end = scalar.raw
    raw = source.text[start:end]
    at = _content_start(raw, scalar.style)
    offsets: list[int] = []
    for character in scalar.text:
        at = _seek(raw, at, character, scalar.style)
        offsets.append(min(at, max(0, len(raw) - 1)))
        at += _width(raw, at, character, scalar.style)
    offsets.append(min(at, len(raw)))
    return _positions(source, [start + each for each in offsets])


def _content_start(raw: str, style: str) -> int:
    if style in "|>":
        return raw.find("\n") + 1
    return 0 if style == "plain" else 1


def _seek(raw: str, at: int, character: str, style: str) -> int:
    """Find where a character of the value stands: behind blanks that are not part of the value."""
    while style == '"' and raw.startswith("\\\n", at):
        at += 2
        while raw[at : at + 1] == " ":
            at += 1
    if character in _BLANK:
        return at
    while at < len(raw) and raw[at] in _BLANK:
        at += 1
        if style == '"' and raw.startswith("\\\n", at):
            at += 2
    return at


def _width(raw: str, at: int, character: str, style: str) -> int:
    """Say how many raw characters wrote one character of the value; none, when a fold has been passed already."""
    here = raw[at : at + 1]
    if style == '"' and here == "\\":
        return _ESCAPE_WIDTHS.get(raw[at + 1 : at + 2], 2)
    if style == "'" and here == "'":
        return 2
    return 0 if character in _BLANK and here not in (" ", "\n") else 1


def _positions(source: Source, offsets: list[int]) -> tuple[Position, ...]:
    """Give lines and columns of ascending offsets in one walk."""
    found: list[Position] = []
    line, line_start, at = 1, 0, 0
    for offset in offsets:
        breaks = source.text.count("\n", at, offset)
        if breaks:
            line += breaks
            line_start = source.text.rfind("\n", 0, offset) + 1
        elif not found:
            line_start = source.text.rfind("\n", 0, offset) + 1
        at = offset
        found.append(Position(line=line, column=offset - line_start + 1))
    return tuple(found)
