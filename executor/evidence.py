"""First requests as evidence: kept with each attempt that the proxy recorded, and held against those of the other arms at the same task."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from compiler.plan import ArmPlan, RunPlan
from executor.attempt import Notebook, Observed, TrialOrder
from executor.first_request import Difference, Registered, first_request_difference, unregistered
from executor.ports import AgentEnd, Prepared
from executor.recording import Recording
from executor.storable import storable
from executor.treatments import SERVERS_FOLDER
from ledger.blobs import Blobs
from ledger.canonical import canonical
from ledger.plain import Plain

EVENTS = "events"
"""Artefact: what the agent did, as one stream in the form that all agents are read into, a line for each event."""
REQUESTS, FIRST, MARKS, HELD = "requests", "first-request", "treatment-marks", "first-request-difference"
"""Artefacts: a line for each exchange; the first request; what the treatment may be seen by; how it differs from other arms' first."""
_WITH_ANY_SERVER = frozenset(
    {
        "list_mcp_resources",
        "list_mcp_resource_templates",
        "read_mcp_resource",
        "ListMcpResourcesTool",
        "ReadMcpResourceTool",
    }
)
"""Tools of agents' own with which they read what any server offers; they come with the first server and go with the last."""
_LARGEST = 1 << 20
_SHOWN = 500
_MOST = 50


def marks(prepared: Prepared, touched: Sequence[str], workspace: Path, home: Path) -> bytes:
    """Say by what a provider's doing may be seen in requests: the files it wrote, and their lines; the servers it gave.

    Settings, variables, programs, or anything in the agent's home may change a request in any way.
    """
    words = {name for path in touched for name in (path, PurePosixPath(path).name)}
    for server in prepared.mcp:
        words |= _WITH_ANY_SERVER | {server.name, *server.tools, *server.brings}
    lines: set[str] = set()
    for path in (workspace / each for each in touched):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= _LARGEST:
            lines |= {line.strip() for line in path.read_text("utf-8", "replace").splitlines()}
    anything = bool(prepared.settings or prepared.env or prepared.path) or any(
        each.name != SERVERS_FOLDER for each in home.iterdir()
    )
    document: dict[str, Plain] = {
        "words": sorted(words),
        "lines": sorted(lines),
        "written": bool(touched),
        "anything": anything,
    }
    return canonical(document)


def keep_events(end: AgentEnd, notebook: Notebook, workspace: Path, home: Path) -> None:
    """Store the normalised stream of an attempt, so that it can be read, and recorded, without knowing the agent."""
    if end.events:
        lines = b"".join(
            canonical(storable({"kind": each.kind, "data": dict(each.data)})) + b"\n" for each in end.events
        )
        notebook.keep(EVENTS, _as_in_a_sandbox(lines, workspace, home))


def keep_recording(recording: Recording | None, notebook: Notebook, workspace: Path, home: Path) -> None:
    """Store what went through the proxy; where host paths show (no sandbox moved them), they are written as a sandbox would show them."""
    if recording is None:
        return
    notebook.keep(REQUESTS, recording.document())
    if recording.first is not None:
        notebook.keep(FIRST, _as_in_a_sandbox(recording.first, workspace, home))


def _as_in_a_sandbox(shown: bytes, workspace: Path, home: Path) -> bytes:
    for path, stands in ((workspace, b"/workspace"), (home, b"/home/agent")):
        shown = shown.replace(str(path).encode(), stands)
        # Some agents name a folder of their own after the path, with a hyphen for whatever is no letter or digit.
        shown = shown.replace(_hyphened(str(path)), _hyphened(stands.decode()))
    return shown


def _hyphened(path: str) -> bytes:
    return re.sub(r"[^A-Za-z0-9]", "-", path).encode()


def with_usage(end: AgentEnd, recording: Recording | None) -> AgentEnd:
    """Fill in tokens that the agent does not report, from what the model's own answers said, where all of them did."""
    used = recording.usage() if recording is not None else None
    if used is None:
        return end
    unknown = {name: value for name, value in used.items() if end.measures.get(name) is None}
    return replace(end, measures={**end.measures, **unknown})


def hold_against_partners(
    plan: RunPlan, order: TrialOrder, observed: Observed, known: Mapping[str, Mapping[str, str]], artefacts: Blobs
) -> Observed:
    """Compare an attempt's first request with those of the other arms at its task, seed and level, as far as they have outcomes.

    ``known`` gives the artefacts of outcomes by trial. What differs is kept as evidence; what differs and is not the treatment makes the
    environment invalid, for nobody can say any more what a difference between the outcomes comes from.
    """
    if observed.kind != "graded" or FIRST not in observed.blobs:
        return observed
    trial, found = order.trial, {}
    own = next(each for each in plan.arms if each.name == trial.arm)
    for arm in plan.arms:
        partner = f"{trial.task}/{arm.name}/{trial.seed}"
        blobs = known.get(partner, {})
        if arm.name == trial.arm or arm.level != own.level or FIRST not in blobs:
            continue
        differences = first_request_difference(artefacts.get(blobs[FIRST]), artefacts.get(observed.blobs[FIRST]))
        registered = _registered(arm, own, [_marks(blobs, artefacts), _marks(observed.blobs, artefacts)])
        found[partner] = (differences, unregistered(differences, registered))
    if not found:
        return observed
    document = {
        partner: {"differs": _plain(all_), "not_registered": _plain(rest)} for partner, (all_, rest) in found.items()
    }
    observed = replace(observed, blobs={**observed.blobs, HELD: artefacts.put(canonical(document))})
    for partner, (_, rest) in found.items():
        if rest:
            places = ", ".join(dict.fromkeys(each.path or "/" for each in rest[:5]))
            return replace(
                observed,
                kind="invalid",
                detail=f"its first request differs from that of {partner} in more than the treatment: {places}",
                expected={"first request": [each["first"] for each in _plain(rest)]},
                got={"first request": [each["second"] for each in _plain(rest)]},
            )
    return observed


def _registered(one: ArmPlan, other: ArmPlan, marked: Sequence[Mapping[str, Plain]]) -> Registered:
    same = (one.agent, one.flags, one.env, one.hide_from_path) == (
        other.agent,
        other.flags,
        other.env,
        other.hide_from_path,
    )
    return Registered(
        words=frozenset(word for each in marked for word in _texts(each.get("words"))),
        lines=frozenset(line for each in marked for line in _texts(each.get("lines"))),
        written=any(each.get("written") is True for each in marked),
        anything=not same or any(each.get("anything") is not False for each in marked),
    )


def _marks(blobs: Mapping[str, str], artefacts: Blobs) -> Mapping[str, Plain]:
    found: Mapping[str, Plain] = json.loads(artefacts.get(blobs[MARKS])) if MARKS in blobs else {}
    return found


def _texts(value: Plain) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _plain(differences: Sequence[Difference]) -> list[dict[str, Plain]]:
    return [{"path": each.path, "first": _cut(each.first), "second": _cut(each.second)} for each in differences[:_MOST]]


def _cut(text: str | None) -> str | None:
    # Half a surrogate pair can stand in a model's JSON; canonical documents hold none.
    return None if text is None else text[:_SHOWN].encode("utf-8", "replace").decode("utf-8")
