"""The steps of a task file: a cancel and a refusal each belong to one thing that is told."""

from collections.abc import Iterator, Mapping, Sequence

from spec_lang.diagnostics import Diagnostic
from spec_lang.spans import Spans

CODES: Mapping[str, str] = {"P229": "a step that says once more what happens to one thing that is told"}


def own_step_faults(steps: Sequence[Mapping[str, object]], spans: Spans) -> Iterator[Diagnostic]:
    """Give what is wrong with the order of a task's steps: what was told last is cancelled once, and refused one family of calls."""
    said: set[str] = set()
    for place, step in enumerate(steps):
        (kind,) = step
        if kind in ("say", "new_run"):
            said = set()
        elif kind in said:
            summary = f"`{kind}` stands twice behind one thing that is told"
            hint = "leave one of them out, or put `say` or `new_run` between them"
            yield Diagnostic(code="P229", summary=summary, span=spans.at("steps", place, kind), hint=hint)
        said.add(kind)
