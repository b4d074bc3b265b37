"""Which endpoints were registered, or changed, only after outcomes had been seen: the chain of registrations tells."""

import re
from collections.abc import Iterator, Mapping, Sequence

from analyzer.costs import costly
from analyzer.reading import tree
from compiler.difference import Change
from compiler.inputs import POOL
from compiler.plan import AnalysisPlan, EndpointPlan
from compiler.registry import Entry
from spec_lang.expr.ast import reads

SEEN = "outcomes-seen"
_PLACE = re.compile(
    r"spec\.(endpoints|measures|decision|missing|routes|collect|tasks)(?:\.([a-z][a-z0-9_-]*))?(\.oracle)?(?=[.\[]|\Z)"
)
_RULES = {"decision": "the decision rule", "missing": "the missing-data rules"}
"""Parts of a spec that are no endpoint, as they are called where they were changed; no endpoint has such a name."""


def post_hoc(entries: Sequence[Entry], entry: Entry, plan: AnalysisPlan) -> dict[str, str]:
    """Give each endpoint that was not registered as it is before any outcome was seen, with when and on which observation.

    An endpoint is post hoc when it is first registered in an amendment made after outcomes had been seen, or in a first registration
    that says so; also when its definition, a measure or collected fact that it reads, an oracle by whose verdicts it goes, or the
    route or prices of its costs were changed in one. The decision rule, the missing-data rules, and which tasks there are stand there too.
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
    if change.path == f'inputs["{POOL}"]':
        yield "the pool of tasks"
    place = _PLACE.match(change.path)
    if place is None:
        return
    section, name, oracle = place.groups()
    if section == "tasks":
        yield f"the {'oracle' if oracle else 'tasks'} of {name}" if name else "the sets of tasks"
    if section in _RULES:
        yield _RULES[section]
    elif section == "routes":
        yield from (each.name for each in costly(plan))
    yield from (each.name for each in plan.endpoints if _stands_on(each, plan, section, name, oracle=bool(oracle)))


def _stands_on(endpoint: EndpointPlan, plan: AnalysisPlan, section: str, name: str | None, *, oracle: bool) -> bool:
    """Say whether an endpoint goes by what was changed: its own place, what it reads, or the oracle that judged its tasks."""
    if section == "endpoints":
        return endpoint.name.partition(".")[0] == name
    if section in ("measures", "collect"):
        return name in _read(endpoint, plan)
    elsewhere = any(text.startswith('set == "') and text != f'set == "{name}"' for text in endpoint.where)
    return section == "tasks" and oracle and not elsewhere and "verdict" in _read(endpoint, plan)


def _read(endpoint: EndpointPlan, plan: AnalysisPlan) -> set[str]:
    """Give the measures that an endpoint stands on, those that they read, and the facts of trials behind them."""
    found = {endpoint.measure} if endpoint.measure else set[str]()
    found |= set(reads(tree(endpoint.per_arm))) if endpoint.per_arm else set[str]()
    for _ in plan.measures:
        found |= {each for name in found if name in plan.measures for each in reads(tree(plan.measures[name]))}
    return found
