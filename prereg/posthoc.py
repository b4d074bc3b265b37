"""Which endpoints were registered, or changed, only after outcomes had been seen: the chain of registrations tells."""

import re
from collections.abc import Iterator, Sequence

from analyzer.reading import tree
from compiler.difference import Change
from compiler.plan import AnalysisPlan, EndpointPlan
from compiler.registry import Entry
from spec_lang.expr.ast import reads

SEEN = "outcomes-seen"
_PLACE = re.compile(r"(endpoints|measures)\.([a-z][a-z0-9_]*)(?:\.|\Z)")


def post_hoc(entries: Sequence[Entry], entry: Entry, plan: AnalysisPlan) -> dict[str, str]:
    """Give each endpoint that was not registered as it is before any outcome was seen, with when and on which observation.

    An endpoint is post hoc when it is first registered in an amendment made after outcomes had been seen, or in a first registration
    that says so; also when its definition, or a measure that it reads, was changed in one.
    """
    found: dict[str, str] = {}
    for each in _chain(entries, entry):
        registered = each.registration
        if registered.access != SEEN:
            continue
        if registered.parent is None:
            words = registered.foreknowledge.get("statement") if isinstance(registered.foreknowledge, dict) else None
            found |= {
                name.name: f"registered in {each.name} after outcomes had been seen: {words}" for name in plan.endpoints
            }
            continue
        for change in registered.changes:
            for name in _touched(change, plan):
                word = "added" if change.path == f"endpoints.{name}" and change.kind == "added" else "changed"
                found[name] = f"{word} in {each.name}, after outcomes had been seen, because: {registered.reason}"
    return {name: found[name] for name in sorted(found)}


def _chain(entries: Sequence[Entry], entry: Entry) -> list[Entry]:
    """Give a registration behind all that it descends from, oldest first."""
    by_digest = {each.digest: each for each in entries}
    chain: list[Entry] = []
    at: Entry | None = entry
    while at is not None:
        chain.insert(0, at)
        at = by_digest.get(at.registration.parent or "")
    return chain


def _touched(change: Change, plan: AnalysisPlan) -> Iterator[str]:
    place = _PLACE.match(change.path)
    if place is None:
        return
    section, name = place.groups()
    for endpoint in plan.endpoints:
        base = endpoint.name.partition(".")[0]
        if (section == "endpoints" and base == name) or (section == "measures" and name in _measures(endpoint, plan)):
            yield endpoint.name


def _measures(endpoint: EndpointPlan, plan: AnalysisPlan) -> set[str]:
    """Give the measures that an endpoint stands on, and those that they read."""
    found = {endpoint.measure} if endpoint.measure else set[str]()
    found |= set(reads(tree(endpoint.per_arm))) if endpoint.per_arm else set[str]()
    for _ in plan.measures:
        found |= {each for name in found if name in plan.measures for each in reads(tree(plan.measures[name]))}
    return found & set(plan.measures)
