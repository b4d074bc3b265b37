"""What is wrong with what the user wrote: diagnostics as data, collected, shown with line and caret."""

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
        text = span.source.line(span.start.line)
        last = span.end.column if span.end.line == span.start.line else len(text) + 1
        width = max(1, last - span.start.column)
        gutter = str(span.start.line)
        caret = " " * (span.start.column - 1) + "~" * (width - 1) + "^"
        lines += [f"  --> {span}", f"  {gutter} | {text}", f"  {' ' * len(gutter)} | {caret}"]
    if diagnostic.detail:
        lines.append(f"  because: {diagnostic.detail}")
    if diagnostic.hint:
        lines.append(f"  hint: {diagnostic.hint}")
    return "\n".join(lines)
