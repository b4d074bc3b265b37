"""The oracle of a task file: names of its checks, and the types of the conditions over them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spec_lang.diagnostics import Diagnostic
from spec_lang.expr.ast import Expression
from spec_lang.expr.check import check
from spec_lang.expr.scope import oracle
from spec_lang.expr.types import BOOL
from spec_lang.nearest import hint
from spec_lang.spans import Path, Spans

CODES: Mapping[str, str] = {
    "P227": "two checks of a task have one name",
    "P228": "a check needs one that is not there, or that itself needs another",
}

Check = Mapping[str, Any]


def check_name(check: Check, place: int) -> str:
    """Give the name of a check that stands at a place, counted from 1: its own, or one made of its kind and place."""
    return str(check.get("name", f"{str(check['kind']).replace('-', '_')}_{place}"))


def own_oracle_faults(
    checks: Sequence[Check], conditions: Mapping[Path, Expression], spans: Spans
) -> Iterator[Diagnostic]:
    """Give what is wrong with the names and conditions of a task's checks."""
    names = [check_name(each, place) for place, each in enumerate(checks, 1)]
    for place, name in enumerate(names):
        if name in names[:place]:
            summary = f"check `{name}` is named twice"
            yield Diagnostic(
                code="P227", summary=summary, span=spans.at("checks", place), hint="give each its own name"
            )
    named = dict(zip(names, checks, strict=True))
    for place, each in enumerate(checks):
        yield from need_faults(each.get("needs"), named, spans, "checks", place, "needs")
    scope = oracle({name: str(each["kind"]) for name, each in named.items()})
    for condition in conditions.values():
        yield from check(condition, scope, BOOL)[1]


def need_faults(needs: object, checks: Mapping[str, object], spans: Spans, *path: str | int) -> Iterator[Diagnostic]:
    """Give what is wrong with the check that another needs. One step is enough, and makes no circles."""
    if needs is None:
        return
    found = checks.get(str(needs))
    if found is None:
        advice = hint(str(needs), list(checks), what="checks here")
        yield Diagnostic(code="P228", summary=f"unknown check `{needs}`", span=spans.at(*path), hint=advice)
    elif isinstance(found, Mapping) and "needs" in found:
        summary = f"the check `{needs}` itself needs another"
        yield Diagnostic(code="P228", summary=summary, span=spans.at(*path), hint=f"name `{found['needs']}`")
