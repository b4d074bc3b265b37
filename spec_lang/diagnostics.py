"""What is wrong with what the user wrote: diagnostics as data, collected, shown with line and caret."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from spec_lang.span import Span

Severity = Literal["error", "warning"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnostic:
    """One fault or warning about the user's text.

    ``code`` is stable (``P101``); ``summary`` is one line without a full stop; ``detail`` says why it is a fault,
    ``hint`` what to do. ``span`` is None only when no text is at fault (a missing file).
    """

    code: str
    summary: str
    span: Span | None = None
    severity: Severity = "error"
    detail: str | None = None
    hint: str | None = None


class SpecErrors(Exception):  # noqa: N818  # it carries many faults, and the plural says so
    """What the user wrote cannot be used; holds every diagnostic found, warnings included.

    Exit code 1.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(render(each) for each in self.diagnostics))


class Bag:
    """Collects diagnostics while passes go on, and raises them together."""

    def __init__(self) -> None:
        self._found: list[Diagnostic] = []

    def add(self, diagnostic: Diagnostic) -> None:
        """Keep one diagnostic."""
        self._found.append(diagnostic)

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Keep several diagnostics."""
        self._found.extend(diagnostics)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All that was kept, in order of finding."""
        return tuple(self._found)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The kept warnings."""
        return tuple(each for each in self._found if each.severity == "warning")

    def raise_errors(self) -> None:
        """Raise SpecErrors when an error was kept."""
        if any(each.severity == "error" for each in self._found):
            raise SpecErrors(self._found)


def render(diagnostic: Diagnostic) -> str:
    """Show a diagnostic as text: code and summary, file:line:column, the line, a caret, because, hint."""
    lines = [f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.summary}"]
    span = diagnostic.span
    if span is not None:
        gutter = str(span.start.line)
        text, caret = _excerpt(span)
        lines += [f"  --> {span}", f"  {gutter} | {text}".rstrip(), f"  {' ' * len(gutter)} | {caret}"]
    if diagnostic.detail:
        lines.append(f"  because: {diagnostic.detail}")
    if diagnostic.hint:
        lines.append(f"  hint: {diagnostic.hint}")
    return "\n".join(lines)


_WIDEST, _BEFORE = 160, 60


def _excerpt(span: Span) -> tuple[str, str]:
    """Give the line of a span and the caret under it, as a terminal shows them.

    Wide characters take two columns and combining ones none; what would not be seen is shown as a dot; a long line is cut.
    """
    text = span.source.line(span.start.line)
    first = span.start.column - 1
    last = span.end.column - 1 if span.end.line == span.start.line else len(text)
    cut = max(0, first - _BEFORE) if len(text) > _WIDEST else 0
    before, marked = text[cut:first], text[first : max(last, first)][:_WIDEST]
    shown = "".join(map(_visible, text[cut : cut + _WIDEST]))
    pad = sum(map(_columns, before)) + (1 if cut else 0)
    width = max(1, sum(map(_columns, marked)))
    ellipses = ("…" if cut else "", "…" if len(text) > cut + _WIDEST else "")
    return f"{ellipses[0]}{shown}{ellipses[1]}", " " * pad + "~" * (width - 1) + "^"


def _visible(character: str) -> str:
    """Show a character, or a dot where it is a control, a tab or a character without width."""
    hidden = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    return "·" if hidden else character


def _columns(character: str) -> int:
    """Count the columns that a character takes."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
