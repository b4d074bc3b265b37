"""Which endpoints were registered, or changed, only after outcomes had been seen: the chain of registrations tells."""

import re
from collections.abc import Iterator, Mapping, Sequence

from analyzer.costs import costly
from analyzer.reading import tree
from compiler.difference import Change
from compiler.plan import AnalysisPlan, EndpointPlan
from compiler.registry import Entry
from spec_lang.expr.ast import reads

SEEN = "outcomes-seen"
_PLACE = re.compile(r"spec\.(endpoints|measures|decision|missing|routes)(?:\.([a-z][a-z0-9_]*))?(?=[.\[]|\Z)")
_RULES = {"decision": "the decision rule", "missing": "the missing-data rules"}
"""Parts of a spec that are no endpoint, as they are called where they were changed; no endpoint has such a name."""


def post_hoc(entries: Sequence[Entry], entry: Entry, plan: AnalysisPlan) -> dict[str, str]:
    """Give each endpoint that was not registered as it is before any outcome was seen, with when and on which observation.

    An endpoint is post hoc when it is first registered in an amendment made after outcomes had been seen, or in a first registration
    that says so; also when its definition, a measure that it reads, or the route or prices of its costs were changed in one. The
    decision rule and the missing-data rules stand there too.
    """
    found: dict[str, str] = {}
    for each in _chain(entries, entry):
        registered = each.registration
        if registered.access != SEEN:
            continue
        if registered.parent is None:
            known = registered.foreknowledge
            words = known.get("statement") if isinstance(known, Mapping) else "nothing is stated"
            found |= {
                it.name: f"registered in {each.name} after outcomes had been seen: {words}" for it in plan.endpoints
            }
            continue
        for change in registered.changes:
            for name in _touched(change, plan):
                new = change.path == f"spec.endpoints.{name}" and change.kind == "added"
                if new or name not in found:  # what was added stays an addition, whatever else changed with it
                    word = "added" if new else "changed"
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
    """Give what a change is about: endpoints by name, rules by what they are called."""
    if change.path == f'inputs["{plan.routes.get("table")}"]':
        yield from (each.name for each in costly(plan))
    place = _PLACE.match(change.path)
    if place is None:
        return
    section, name = place.groups()
    if section in _RULES:
        yield _RULES[section]
    elif section == "routes":
        yield from (each.name for each in costly(plan))
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
