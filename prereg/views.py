"""What verbs found, as JSON documents and as text for a terminal."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from compiler.difference import Change
from compiler.estimate import Estimate as Bound
from ledger.codec import to_plain
from ledger.plain import Plain
from prereg.audited import NOT_PROVEN, TIER, Audited
from prereg.doctor import Finding
from prereg.executing import Executed
from prereg.faults import as_json, describe, diagnostic_json
from prereg.harvesting import Harvested, Validated
from prereg.locking import Locked
from prereg.selection_views import selection_json, selection_lines
from prereg.tables import coloured, draw
from spec_lang.diagnostics import render

AUTHORS = "the author's own estimate of the whole run, made before it; nothing is measured yet, and it guards nothing"


def locked_json(found: Locked) -> dict[str, Any]:
    """The contract of ``compile --json``."""
    registered = found.entry.registration
    plan = found.compiled.plan.run
    return {
        "registration": found.entry.name,
        "spec_digest": registered.spec["digest"],
        "plan_digest": registered.plan["digest"],
        "tasks": len(plan.tasks),
        "selection": selection_json(found.compiled.plan.analysis.selection),
        "trials": registered.plan["trials"],
        "warnings": [diagnostic_json(each) for each in (*found.compiled.warnings, *found.warnings)],
        "estimate": to_plain(found.compiled.estimate),
        "author_estimate": _by_author(found.compiled.plan.analysis.estimate),
        "new": found.new,
        "parent": registered.parent,
        "access": registered.access,
        "simulated": plan.simulated,
    }


def locked_text(found: Locked) -> str:
    """Name the registration, its size and what it is estimated to cost."""
    plan, registered = found.compiled.plan.run, found.entry.registration
    made = "registered" if found.new else "unchanged, registered as"
    lines = [
        f"{made} {found.entry.name}",
        f"  spec   {registered.spec['digest']}",
        f"  plan   {registered.plan['digest']}",
        f"  size   {len(plan.tasks)} tasks, {registered.plan['trials']} trials",
        *selection_lines(found.compiled.plan.analysis.selection),
        f"  seen   {registered.access}",
        *_bound(found.compiled.estimate),
        *_expected(found.compiled.plan.analysis.estimate),
    ]
    if plan.simulated:
        lines.append("  SIMULATED or scripted agent: nothing of this will be evidence")
    lines.append(f"next: prereg execute {found.entry.folder.parent.parent} --run NAME")
    return "\n".join(lines)


def locked_talk(found: Locked) -> list[str]:
    """The warnings of a spec and of its registration."""
    return [render(each) for each in (*found.compiled.warnings, *found.warnings)]


def _bound(most: Bound) -> list[str]:
    money = f"{most.usd} USD" if most.usd is not None else f"no bound in money ({most.unknown})"
    return [
        f"  most   {money}, {most.seconds / 3600:.1f} h; with every retry used up {most.seconds_retries / 3600:.1f} h",
        f"         ({most.label})",
    ]


def _by_author(told: Mapping[str, str]) -> dict[str, Any]:
    """Give what the author expects of the whole run: lower and upper end by base unit, and what kind of number that is."""
    ends = {name: told[name].split("..") for name in ("usd", "s") if name in told}
    return {**ends, "label": AUTHORS} if ends else {}


def _expected(told: Mapping[str, str]) -> list[str]:
    ends = {name: [float(each) for each in told[name].split("..")] for name in ("usd", "s") if name in told}
    said = []
    if "usd" in ends:
        said.append(f"{ends['usd'][0]:g} to {ends['usd'][1]:g} USD")
    if "s" in ends:
        said.append(f"{ends['s'][0] / 3600:g} to {ends['s'][1] / 3600:g} h")
    return [f"  likely {', '.join(said)}", f"         ({AUTHORS})"] if said else []


def diff_json(found: Sequence[Change]) -> dict[str, Any]:
    """List the fields that differ."""
    keys = ("path", "kind", "before", "after")
    return {"same": not found, "differences": [{key: getattr(each, key) for key in keys} for each in found]}


def diff_text(found: Sequence[Change]) -> str:
    """List the fields that differ, one a line."""
    return "\n".join(str(each) for each in found) or "no difference in meaning"


def executed_json(found: Executed) -> dict[str, Any]:
    """Say how far a run has come."""
    return {"run": str(found.folder.root), "registration": found.entry.name, **found.counts}


def executed_text(found: Executed) -> str:
    """Say how far a run has come and what comes next."""
    words = {"spent_usd": "USD spent", "unknown_costs": "of unknown cost"}
    counts = ", ".join(f"{value} {words.get(name, name)}" for name, value in _flat(found.counts))
    return f"{found.folder.root}: {counts}\nnext: prereg analyze {found.folder.root}"


def harvest_json(found: Harvested) -> dict[str, Any]:
    """The counts of a harvest by set and by reason."""
    return found.document


def harvest_text(found: Harvested) -> str:
    """The counts of a harvest by set and by reason."""
    lines = []
    for name, each in found.document["sets"].items():
        lines.append(f"{name}: {each['found']} found, {each['kept']} kept, {each['found'] - each['kept']} dropped")
        lines += [f"  {count:>5}  {reason}" for reason, count in each["dropped"].items()]
        lines += [f"         of these {count} for: {text}" for text, count in each["conditions"].items()]
    return "\n".join(
        [
            *lines,
            f"pool: {found.document['pool']}",
            f"next: prereg check {found.spec}, then prereg compile {found.spec}",
        ]
    )


def validate_json(found: Validated) -> dict[str, Any]:
    """What passed its gate, and whether that was held against the pool."""
    return {"status": "ok", "tasks": list(found.tasks), "as_in_pool": found.as_in_pool}


def validate_text(found: Validated) -> str:
    """What passed its gate, and whether that was held against the pool."""
    count = f"{len(found.tasks)} task{'' if len(found.tasks) == 1 else 's'}"
    where = ", as in the pool" if found.as_in_pool else "; no pool was looked at"
    return f"{count}: no-op fails and reference passes{where}"


def audit_json(found: Audited) -> dict[str, Any]:
    """All checks, the tier, and what they do not prove."""
    checks = [
        {"number": each.number, "name": each.name, "status": each.status, "detail": each.detail}
        for each in found.checks
    ]
    return {
        "status": found.status,
        "tier": TIER,
        "checks": checks,
        "reasons": [as_json(each) for each in found.reasons],
        "warnings": list(found.warnings),
        "does_not_prove": list(NOT_PROVEN),
    }


def audit_text(found: Audited) -> str:
    """All checks, the tier, and what they do not prove."""
    table = Table(box=None, show_header=False, pad_edge=False)
    for each in found.checks:
        table.add_row(str(each.number), coloured(each.status), each.name, Text(each.detail))
    words = {"refused": "refused", "undecided": "undecided"}
    reasons = [describe(reason, words[each.status]) for each in found.checks if each.reasons for reason in each.reasons]
    tier = f"tier: {TIER}; internal consistency only, no outside witness was checked"
    does_not = ["this does not prove", *(f"  {each}" for each in NOT_PROVEN)]
    warnings = [f"warning: {each}" for each in found.warnings]
    return "\n".join([draw(table), *reasons, *warnings, found.status.upper(), tier, *does_not])


def plugins_text(found: Sequence[Mapping[str, Any]]) -> str:
    """One plugin a line."""
    table = Table(box=None, show_header=False, pad_edge=False)
    for each in found:
        table.add_row(each["kind"], f"{each['distribution']} {each['version']}", each["doc"].replace("``", "`"))
    return draw(table)


def agents_text(found: Sequence[Mapping[str, Any]]) -> str:
    """One agent a line, whether its program is on PATH, and below it what it can report of a trial."""
    table = Table(box=None, show_header=False, pad_edge=False)
    for each in found:
        state = "simulated" if each.get("simulated") else ""
        if each.get("program"):
            state = f"{each['program']}: {'found' if each['installed'] else 'not on PATH'}"
        reported = f"\nreports {', '.join(each['measures'])}" if each.get("measures") else ""
        table.add_row(each["kind"], state, f"{each['doc']}{reported}".replace("``", "`"))
    return draw(table)


def tasks_text(found: Sequence[Mapping[str, Any]]) -> str:
    """One task a line: what its source calls it, or why it was dropped."""
    table = Table(box=None, show_header=False, pad_edge=False)
    sorted_out = any(each["category"] for each in found)
    for each in found:
        state = "burned" if each["burned"] else "drawn" if each["drawn"] else each["status"]
        category = (each["category"] or "",) if sorted_out else ()
        table.add_row(each["set"], each["id"], *category, state, Text("; ".join(each["reasons"]) or each["title"]))
    return draw(table)


def resolved_text(found: Mapping[str, Any]) -> str:
    """One task with its facts, its reasons, and last what an agent is told."""
    facts = dict(found["facts"])
    told = facts.pop("prompt", None)
    lines = [f"{found['id']}: {found['status']}, of set {found['set']}"]
    lines += [f"  {each['code']}: {each['what']} {each['detail']}".rstrip() for each in found["reasons"]]
    lines += [f"  {name}: {json.dumps(facts[name], ensure_ascii=False)}" for name in sorted(facts)]
    return "\n".join([*lines, *([] if told is None else ["", str(told)])])


def burned_text(found: Mapping[str, Any]) -> str:
    """What was burned, and what follows."""
    also = ", and in its store" if found["private"] else ""
    return (
        f"{found['task']} is burned in {found['file']}{also}\n"
        "next: prereg compile (or, where it is registered, prereg amend) draws the next task in its place"
    )


def doctor_json(found: Sequence[Finding]) -> dict[str, Any]:
    """Everything that was looked at."""
    keys = ("name", "status", "detail", "hint")
    return {"findings": [{key: getattr(each, key) for key in keys} for each in found]}


def doctor_text(found: Sequence[Finding]) -> str:
    """Everything that was looked at, one a line, hints below."""
    table = Table(box=None, show_header=False, pad_edge=False)
    for each in found:
        detail = each.detail if each.hint is None else f"{each.detail}\nhint: {each.hint}"
        table.add_row(coloured(each.status), each.name, Text(detail))
    return draw(table)


def _flat(document: Mapping[str, Plain] | Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for key, value in document.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key} ")
        else:
            yield f"{prefix}{key}", value
