"""What arms cost before they do anything, as ``prereg overhead`` measured it: the file that a spec names, for facts ``overhead.*``."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from compiler.arms import original, resolve
from compiler.crossing import arm_ids, at_level
from compiler.inputs import text_of
from compiler.prices import routes_plan
from ledger.canonical import canonical, digest
from ledger.plain import Plain
from spec_lang.catalog import OVERHEAD
from spec_lang.diagnostics import Diagnostic, SpecErrors
from spec_lang.expr.ast import reads
from spec_lang.load import Loaded

CODES = {
    "P337": "an overhead that is read and was not measured",
    "P338": "a file that is no measured overhead",
    "P339": "an overhead of other arms, of another agent, or by another route of costs",
}
TYPE = "prereg.overhead/v1"
_AMOUNT = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?", re.ASCII)
_HINT = "measure it: prereg overhead"

Overheads: TypeAlias = Mapping[str, Mapping[str, str | None]]
"""Arm → fact (``overhead.tokens``) → mean of the arm's replicates in base units; None where the agent did not report it."""


def overheads(loaded: Loaded, inputs: Mapping[str, bytes]) -> Overheads:
    """Give the overhead of every arm; nothing where the spec names no file. An arm that repeats another has that one's.

    Raises SpecErrors for a file that is none, was measured on other arms, or on another agent than the spec's.
    """
    name = loaded.spec.overhead
    if name is None:
        return {}
    span = loaded.spans.at("overhead")

    def refuse(code: str, summary: str, detail: str | None = None) -> SpecErrors:
        return SpecErrors([Diagnostic(code=code, summary=summary, span=span, detail=detail, hint=_HINT)])

    arms = _arms_of(text_of(name, inputs, span))
    if arms is None:
        raise refuse("P338", f"{name} is no measured overhead")
    found: dict[str, Mapping[str, str | None]] = {}
    ids = arm_ids(loaded.spec)
    for arm in resolve(loaded.spec):
        said = ids[arm.name]
        own = next(name for name, each in loaded.spec.arms.items() if each is original(loaded.spec, said.name))
        stands = at_level(own, said.level)
        measured = arms.get(stands)
        if measured is None:
            raise refuse("P339", f"{name} holds no overhead of `{stands}`")
        agent: Plain = {
            "kind": arm.agent.kind,
            "model": arm.agent.model,
            "options": digest(canonical(dict(arm.agent.options))),
        }
        if measured.get("agent") != agent or measured.get("provider") != arm.provider.kind:
            raise refuse("P339", f"{name} was measured on another agent or provider than `{stands}` has")
        versions = measured.get("versions")
        told = versions.get("cost route") if isinstance(versions, Mapping) else None
        if told is not None and told != routes_plan(loaded, inputs).name:
            raise refuse("P339", f"{name} measured the cost of `{stands}` by another route", f"it was {told}")
        mean = measured.get("mean")
        facts = _facts(mean if isinstance(mean, Mapping) else {})
        if facts is None:
            raise refuse("P338", f"{name} holds what is no amount, for `{stands}`")
        found[arm.name] = facts
    return found


def check_overhead(loaded: Loaded) -> Iterator[Diagnostic]:
    """Facts ``overhead.*`` are read only where a file of measurements is named."""
    if loaded.spec.overhead is not None:
        return
    read = {("measures", name): set(reads(measure.tree)) for name, measure in sorted(loaded.spec.measures.items())}
    read |= {("endpoints", name): {str(each.measure)} for name, each in sorted(loaded.spec.endpoints.items())}
    for path, names in read.items():
        wanted = sorted(names & OVERHEAD)
        if wanted:
            summary = f"`{path[1]}` reads `{wanted[0]}`, and the spec names no measured overhead"
            hint = f"{_HINT}; then: overhead: overhead.json"
            yield Diagnostic(code="P337", summary=summary, span=loaded.spans.at(*path), hint=hint)


def _arms_of(text: str) -> Mapping[str, Mapping[str, Plain]] | None:
    try:
        document = json.loads(text)
    except ValueError:
        return None
    arms = document.get("arms") if isinstance(document, dict) and document.get("type") == TYPE else None
    return arms if isinstance(arms, dict) and all(isinstance(each, dict) for each in arms.values()) else None


def _facts(mean: Mapping[str, Plain]) -> dict[str, str | None] | None:
    """Give the facts of one arm; None when one of them is no amount."""
    facts: dict[str, str | None] = {}
    for fact in sorted(OVERHEAD):
        value = mean.get(fact.partition(".")[2])
        if value is not None and not (isinstance(value, str) and _AMOUNT.fullmatch(value)):
            return None
        facts[fact] = value
    return facts
