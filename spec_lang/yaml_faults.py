"""Faults of YAML syntax in the author's words, and the traps behind them."""

import re

from ruamel.yaml.error import MarkedYAMLError

from spec_lang.diagnostics import Diagnostic
from spec_lang.span import Position, Source, Span

_TRAPS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), hint)
    for pattern, hint in (
        (
            r'^\s*(?:-\s+|[^\s#"\']+:\s+)+"(?:[^"\\]|\\.)*"\s*[^\s,#}\]]',
            "an expression that starts with a double quote goes in single quotes as a whole: '\"x\" in y'",
        ),
        (r"^\s*(?:-\s+|\S+:\s+)+[%@`]", "text that starts with `%`, `@` or a backtick goes in quotes"),
        (
            r"[{\[].*\b(?:in|==|!=)\s*[\[\"]|[{\[].*\([^)]*,",
            "inside `[…]` and `{…}` an expression with brackets, commas or quotes goes in single quotes, or on a line of its own",
        ),
        (r":\s.*\S:\s", "a value that holds `: ` goes in quotes"),
    )
)


def explain(source: Source, fault: MarkedYAMLError) -> Diagnostic:
    """Say what the YAML parser stumbled over, where, and which trap the line may have fallen into."""
    mark = fault.problem_mark or fault.context_mark
    problem = (fault.problem or "not YAML").splitlines()[0]
    if mark is None:
        return Diagnostic(code="P110", summary=f"not YAML: {problem}")
    at = Position(line=mark.line + 1, column=mark.column + 1)
    span = Span(source=source, start=at, end=Position(line=at.line, column=at.column + 1))
    detail = (
        f"{fault.context} (from line {fault.context_mark.line + 1})" if fault.context and fault.context_mark else None
    )
    lines = [at.line] + ([fault.context_mark.line + 1] if fault.context_mark else [])
    return Diagnostic(code="P110", summary=f"not YAML: {problem}", span=span, detail=detail, hint=_trap(source, lines))


def _trap(source: Source, lines: list[int]) -> str | None:
    for number in lines:
        for pattern, hint in _TRAPS:
            if pattern.search(source.line(number)):
                return hint
    return None
