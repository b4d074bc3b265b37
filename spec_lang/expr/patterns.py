r"""The patterns of ``matches``: regular expressions whose search time cannot explode.

Taken are characters, ``.``, classes, anchors, groups ``( )`` and ``(?: )``, ``|`` and quantifiers. Refused are back-references,
look-around, flags and named groups, and a repeated group that itself repeats or chooses: backtracking over it can take
exponential time. ``\d \w \s \b`` mean ASCII (Unicode tables change between versions), ``$`` is the very end.
"""

import re
from functools import cache

LONGEST = 500


class PatternError(ValueError):
    """A pattern is refused: what for, and where in it."""

    def __init__(self, what: str, start: int, end: int) -> None:
        super().__init__(what)
        self.what, self.start, self.end = what, start, end


_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_DOUBTFUL = re.compile(r"(?<!\\)\[|--|&&|~~|\|\|")
"""What a later version of Python may read as a set operation."""
_QUANTIFIER = re.compile(r"(?:[*+?]|\{(\d*)(?:,(\d*))?\})\??")
_ESCAPES = frozenset("dDwWsSbBnt") | frozenset(r"""\.^$*+?{}[]()|/-"'#:,;=!<>@%&~` """)


@cache
def search(text: str) -> re.Pattern[str]:
    """Compile a pattern for searching. Raises PatternError."""
    if len(text) > LONGEST:
        raise PatternError(f"a pattern longer than {LONGEST} characters", LONGEST, len(text))
    translated = _translate(text)
    try:
        return re.compile(translated, re.ASCII)
    except re.error as fault:
        at = min(fault.pos or 0, max(0, len(text) - 1))
        raise PatternError(f"not a regular expression: {fault.msg}", at, at + 1) from None


def _translate(text: str) -> str:
    out: list[str] = []
    groups: list[tuple[int, bool]] = []
    """Open groups: where each starts, and whether it repeats or chooses inside."""
    unruly, last_group, at = False, None, 0
    while at < len(text):
        start, character = at, text[at]
        piece = character
        if character == "\\":
            piece = _escape(text, at)
            last_group = None
        elif character == "[":
            found = _CLASS.match(text, at)
            if found is None:
                raise PatternError("a class without its `]`", at, at + 1)
            piece, last_group = found[0], None
            if doubtful := _DOUBTFUL.search(piece, 1, len(piece) - 1):
                where = at + doubtful.start()
                raise PatternError(f"write `\\{doubtful[0][-1]}` inside a class", where, where + len(doubtful[0]))
        elif character == "(":
            if text.startswith("(?", at) and not text.startswith("(?:", at):
                raise PatternError("look-around, flags and named groups are not taken", at, at + 3)
            groups.append((at, unruly))
            unruly, last_group = False, None
        elif character == ")" and groups:
            opened, outer = groups.pop()
            last_group = (opened, unruly)
            unruly = unruly or outer
        elif character == "|":
            unruly, last_group = True, None
        elif quantifier := _QUANTIFIER.match(text, at):
            piece = quantifier[0]
            if last_group is not None and last_group[1] and not piece.startswith("?"):
                raise PatternError("a repeated group that itself repeats or chooses", last_group[0], at + len(piece))
            unruly, last_group = True, None
        else:
            last_group = None
        out.append(r"\Z" if piece == "$" else piece)
        at = start + len(piece)
    return "".join(out)


def _escape(text: str, at: int) -> str:
    follows = text[at + 1 : at + 2]
    if follows.isdigit():
        raise PatternError("back-references are not taken", at, at + 2)
    if follows not in _ESCAPES or not follows:
        raise PatternError(f"unknown escape `\\{follows}`", at, at + 2)
    return text[at : at + 2]
