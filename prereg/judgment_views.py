"""What ``prereg judge`` shows: the judgments that stand as JSON and as a table, and a file of judgments to fill in."""

import json
from collections.abc import Iterator
from typing import Any

from rich.table import Table

from ledger.records import Judgment, Line
from prereg.case import Case
from prereg.judgments import JudgedTrials, blind_key, results, standing_in
from prereg.tables import draw

LOOKED_AT = ("change", "answer")
"""Artefacts that a blind template points to; a transcript names the tools of its arm, and so tells which it is."""


def judged_json(found: JudgedTrials) -> dict[str, Any]:
    """The lines that were recorded, and every judgment that stands; of an open run only which trials have one."""
    waiting = [trial for trial in found.to_judge if trial not in found.standing]
    return {
        "run": found.run,
        "recorded": [_line_json(each) for each in found.recorded],
        "unchanged": found.unchanged,
        "left_open": found.left_open,
        "standing": {
            trial: _line_json(found.standing[trial].line) if _shown(found) else None for trial in sorted(found.standing)
        },
        "unjudged": waiting,
        "after_analysis": found.late and bool(found.recorded),
        "peek": found.open_run and bool(found.recorded),
    }


def judged_text(found: JudgedTrials) -> str:
    """Say what was recorded, and list the judgments that stand."""
    waiting = sum(trial not in found.standing for trial in found.to_judge)
    head = f"{found.run}: {len(found.standing)} judged, {waiting} with a result and unjudged"
    if found.recorded or found.unchanged or found.left_open:
        head = (
            f"{found.run}: {len(found.recorded)} recorded, {found.unchanged} unchanged, {found.left_open} left open; "
            f"{len(found.standing)} judged in all, {waiting} with a result and unjudged"
        )
    if not found.standing:
        return head
    if not _shown(found):
        return f"{head}; the run is open, so how they were judged is not shown"
    table = Table("trial", "judgment", "who", "arm seen", "evidence", "line", "revises")
    for trial, each in sorted(found.standing.items()):
        said = each.record
        seen = {True: "yes", False: "no", None: "not said"}[said.arm_seen]
        table.add_row(
            trial, said.judgment, said.who, seen, said.evidence or "none", str(each.line.seq), str(each.revises)
        )
    return f"{head}\n{draw(table)}"


def _shown(found: JudgedTrials) -> bool:
    """Say whether outcomes may be seen: the run is closed, or this very call was remembered as a look."""
    return not found.open_run or bool(found.recorded)


def judged_talk(found: JudgedTrials) -> Iterator[str]:
    """Say what judging means for the run."""
    if found.recorded and found.open_run:
        yield "note: the run is open, so judging was a look at outcomes; the ledger remembers it"
    if found.recorded and found.late:
        yield "note: results had been analysed before; the report will say so. Analyze again: the verdict may differ"


def template(case: Case, *, blind: bool) -> str:
    """Write a judgments file of all trials that have a result and no judgment, in an order that says nothing.

    ``blind``: trials stand under a key instead of their arm, beside the artefacts that do not name it.
    """
    judged = standing_in(case.lines)
    found = results(case.lines)
    waiting = sorted((trial for trial in found if trial not in judged), key=lambda each: blind_key(case, each))
    lines = [
        f"# Judgments of the run {case.record.run}. Each is success, partial, failure, or unjudged, which leaves it open.",
        "# Success means: what was asked for was done, and nothing beyond it. Checks are counted apart from this.",
        f"# Record them: prereg judge {case.folder.root} --file FILE"
        + ("" if case.closed else " --reason WHY-BEFORE-THE-CLOSE"),
        f"# What there is to look at stands behind each trial: blobs/… in {case.folder.root}, $…/blobs/… in the private store.",
        *([f"# Judged already, and not listed here: {len(judged)}."] if judged else []),
        'who: ""                   # whoever judges',
        f"arm_seen: {'false' if blind else 'true'}",
        "judgments:" if waiting else "judgments: []",
    ]
    for trial in waiting:
        outcome = found[trial]
        named = sorted(outcome.blobs.items())
        shown = [(name, value) for name, value in named if name in LOOKED_AT or not blind]
        if blind:
            lines.append(f"  # task {outcome.task}")
        lines += [f"  # {name}: {_place(case, outcome.task)}/{value.removeprefix('sha256:')}" for name, value in shown]
        lines.append(f"  - {{trial: {json.dumps(blind_key(case, trial) if blind else trial)}, judgment: unjudged}}")
    return "\n".join(lines) + "\n"


def _place(case: Case, task: str) -> str:
    """Say where the artefacts of a task's trials are: beside the ledger, or sealed in its store (the first 32 bytes are salt)."""
    private = next((each.private for each in case.plan.run.tasks if each.id == task), None)
    return "blobs" if private is None else f"${private.store_env}/blobs"


def _line_json(line: Line) -> dict[str, Any]:
    said = line.record
    assert isinstance(said, Judgment)
    keys = ("trial", "judgment", "who", "evidence", "reason", "arm_seen")
    return {"line": line.seq, "at": line.at, **{key: getattr(said, key) for key in keys}}
