"""What people say of the trials of a run: recorded in its ledger beside the outcomes, and never overwritten."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from compiler.checks.secrets import secrets_in
from compiler.plan import RunPlan
from executor.handing_over import let_through
from executor.ports import Agent, Provider
from executor.redact import redact
from ledger.blobs import Blobs
from ledger.canonical import digest
from ledger.errors import Fault, WorldFault
from ledger.records import Analysis, Judgment, Line, Outcome, Peek
from ledger.store import Ledger
from prereg import clock, plugins
from prereg.case import Case
from spec_lang.diagnostics import Bag, Diagnostic
from spec_lang.judgments_file import Entry, read_judgments
from spec_lang.load import read_source
from spec_lang.nearest import nearest
from spec_lang.span import Source

CODES: Mapping[str, str] = {
    "P940": "a judgment of a trial that the run does not plan",
    "P941": "a judgment of a trial without a result",
    "P942": "a judgment that differs from the one that stands, and no reason",
    "P943": "evidence that cannot be read",
    "P944": "a judgment on an open run, and no reason for the look",
    "P951": "evidence of a private task that would lie in the folder of a run",
}

OPEN = "unjudged"


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """The judgment of a trial that counts, and its line; ``revises`` counts those before it."""

    line: Line
    record: Judgment
    revises: int


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedTrials:
    """What came of judging: ``recorded`` are the new lines, ``unchanged`` trials stood as they were said, ``left_open`` were not judged.

    ``standing``: every judged trial of the run. ``to_judge``: trials with a result. ``late``: results had been analysed
    before. ``open_run``: the run was not closed, so that judging was a look at outcomes.
    """

    run: str
    recorded: tuple[Line, ...]
    unchanged: int
    left_open: int
    standing: Mapping[str, Standing]
    to_judge: tuple[str, ...]
    late: bool
    open_run: bool


def judge_from_file(case: Case, path: Path, *, reason: str | None = None) -> JudgedTrials:
    """Record what a judgments file says; all of it or, where anything is at fault, nothing.

    ``reason`` is why outcomes are looked at before the close.

    Raises:
        SpecErrors: Everything wrong with the file, and every entry that cannot stand (see ``CODES``).
        WorldFault: Another process writes to the run.
    """
    return record(case, _read(read_source(path)), beside=path.parent, reason=reason)


def judge_single(case: Case, entry: Entry) -> JudgedTrials:
    """Record what the command line says of one trial, held against the same rules as a file; evidence is seen from here.

    Raises as ``judge_from_file``.
    """
    keys = ("trial", "judgment", "who", "reason", "arm_seen")
    said = {key: value for key in keys if (value := getattr(entry, key)) is not None}
    text = json.dumps({"judgments": [said]}, ensure_ascii=False)
    (read,) = _read(Source(name="the command line", text=text))
    return record(case, (replace(read, evidence=entry.evidence),), beside=Path(), reason=entry.reason)


def _read(source: Source) -> tuple[Entry, ...]:
    entries = read_judgments(source)
    bag = Bag()
    bag.extend(secrets_in(source))
    bag.raise_errors()
    return entries


def record(case: Case, entries: Sequence[Entry], *, beside: Path, reason: str | None = None) -> JudgedTrials:
    """Record judgments; ``beside`` is the folder that paths of evidence are seen from.

    The same judgment again changes nothing, and so does ``unjudged`` of a trial that nobody judged. Another one than that
    which stands needs a reason. On an open run, judging is a look at outcomes: it needs ``reason``, and is remembered with it.
    Raises as ``judge_from_file``.
    """
    _ = case.opened
    bag = Bag()
    secrets = _secrets(case.plan.run)
    wanted: list[tuple[Entry, Judgment, bytes | None]] = []
    taken: dict[str, Entry] = {}
    for entry in entries:
        trial = _trial(case, entry, bag)
        if trial is None:
            continue
        if trial in taken:
            bag.add(_at(entry, "P219", f"`{trial}` is judged twice, by its id and by its key", hint="keep one of them"))
            continue
        taken[trial] = entry
        evidence = _evidence(entry, beside, bag)
        if evidence is not None and case.is_private(trial):
            what = f"`{trial}` is of a private task, and its evidence would lie in the run's folder"
            bag.add(_at(entry, "P951", what, hint="leave it out, and keep it in the store"))
        kept = None if evidence is None else redact(evidence, secrets.items())
        said = Judgment(
            trial=trial,
            judgment=entry.judgment,
            who=entry.who,
            evidence=None if kept is None else digest(kept),
            reason=entry.reason,
            arm_seen=entry.arm_seen,
        )
        wanted.append((entry, said, kept))
    stands = standing_in(case.lines)
    new = [each for each in wanted if _changes(stands.get(each[1].trial), each[1])]
    for entry, said, _kept in new:
        before = stands.get(said.trial)
        if before is not None and said.reason is None:
            bag.add(_differs(entry, said, before, shown=case.closed is not None))
    if new and case.closed is None and not (reason and reason.strip()):
        bag.add(_unasked(new[0][0]))
    bag.raise_errors()
    for _entry, _said, kept in new:
        if kept is not None:
            Blobs(case.folder.blobs).put(kept)
    lines = _append(case, [said for _, said, _ in new], (reason or "").strip())
    still_open = sum(each.judgment == OPEN and each.trial not in stands for _, each, _ in wanted)
    return _found(
        case, (*case.lines, *lines), lines, unchanged=len(wanted) - len(new) - still_open, left_open=still_open
    )


def standing(case: Case) -> JudgedTrials:
    """Give the judgments that stand, and the trials that wait for one; nothing is written."""
    _ = case.opened
    return _found(case, case.lines, (), unchanged=0, left_open=0)


def standing_in(lines: Sequence[Line]) -> dict[str, Standing]:
    """Give the judgment of each trial that counts: the last one."""
    found: dict[str, Standing] = {}
    for line in lines:
        if isinstance(line.record, Judgment):
            before = found.get(line.record.trial)
            found[line.record.trial] = Standing(
                line=line, record=line.record, revises=0 if before is None else before.revises + 1
            )
    return found


def results(lines: Sequence[Line]) -> dict[str, Outcome]:
    """Give the trials that can be judged: those with an outcome that was not skipped."""
    found = (each.record for each in lines)
    return {each.trial: each for each in found if isinstance(each, Outcome) and each.verdict != "skipped"}


def blind_key(case: Case, trial: str) -> str:
    """Give the key under which a blind template shows a trial: it tells nothing of the arm to who does not work it out."""
    return digest(f"{case.entry.digest} {case.record.run} {trial}".encode()).removeprefix("sha256:")[:12]


def _append(case: Case, judgments: Sequence[Judgment], reason: str) -> tuple[Line, ...]:
    if not judgments:
        return ()
    with Ledger.open(case.folder.root, case.entry.digest, clock.now, known=case.remembered) as ledger:
        if standing_in(ledger.lines) != standing_in(case.lines):
            what = "somebody else recorded judgments of this run just now, and what stands must be seen before it is revised"
            raise WorldFault(Fault(code="judged-meanwhile", what=what, hint="run this again; nothing was recorded"))
        if case.closed is None:
            outcomes = sum(isinstance(each.record, Outcome) for each in ledger.lines)
            said = ", ".join(sorted({each.who for each in judgments}))
            ledger.append(Peek(what=f"{len(judgments)} judged by {said}", outcomes=outcomes, reason=reason))
        return tuple(ledger.append(each) for each in judgments)


def _found(
    case: Case, lines: Sequence[Line], recorded: tuple[Line, ...], *, unchanged: int, left_open: int
) -> JudgedTrials:
    return JudgedTrials(
        run=case.record.run,
        recorded=recorded,
        unchanged=unchanged,
        left_open=left_open,
        standing=standing_in(lines),
        to_judge=tuple(sorted(results(lines))),
        late=any(isinstance(each.record, Analysis) for each in case.lines),
        open_run=case.closed is None,
    )


def _trial(case: Case, entry: Entry, bag: Bag) -> str | None:
    """Give the id of the trial that an entry names, by its id or its blind key."""
    planned = {each.id: each.id for each in case.plan.run.trials}
    named = planned | {blind_key(case, each): each for each in planned}
    trial = named.get(entry.trial)
    if trial is None:
        near = nearest(entry.trial, planned)
        hint = f"nearest: `{near}`" if near else "prereg judge RUN --template lists the trials"
        bag.add(_at(entry, "P940", f"there is no trial `{entry.trial}` in this run", hint=hint))
        return None
    if trial not in results(case.lines):
        why = "what nobody has run, or what was skipped, cannot be judged"
        bag.add(_at(entry, "P941", f"`{trial}` has no result", detail=why))
        return None
    return trial


def _evidence(entry: Entry, beside: Path, bag: Bag) -> bytes | None:
    if entry.evidence is None:
        return None
    path = beside / entry.evidence
    try:
        if path.exists() and not path.is_file():  # a pipe or a device may never come to an end
            raise IsADirectoryError(0, "it is no file")
        return path.read_bytes()
    except OSError as fault:
        what = f"cannot read {entry.evidence}: {fault.strerror}"
        bag.add(_at(entry, "P943", what, hint="give a file, seen from the judgments file"))
        return None


def _changes(before: Standing | None, said: Judgment) -> bool:
    """Say whether a judgment says something new; one that leaves out evidence, or whether the arm was seen, says nothing of it."""
    if before is None:
        return said.judgment != OPEN
    stands = before.record
    same = (stands.judgment, stands.who) == (said.judgment, said.who)
    return not same or any(
        new is not None and new != old
        for new, old in ((said.evidence, stands.evidence), (said.arm_seen, stands.arm_seen))
    )


def _differs(entry: Entry, said: Judgment, before: Standing, *, shown: bool) -> Diagnostic:
    """Say that another judgment stands; which one is ``shown`` of a closed run alone."""
    stands = before.record
    judged = f"{stands.judgment} " if shown else ""
    what = f"`{said.trial}` was judged {judged}by {stands.who}, and a judgment is not overwritten"
    if (stands.judgment, stands.who) == (said.judgment, said.who):
        about = "another word on whether the arm was seen" if said.arm_seen != stands.arm_seen else "other evidence"
        what = f"`{said.trial}` was judged with {about}, and a judgment is not overwritten"
    hint = "to revise it, say why: `reason: …` in its entry, or --reason; the earlier one is kept beside it"
    return _at(entry, "P942", what, hint=hint)


def _unasked(entry: Entry) -> Diagnostic:
    what = "the run is open, and judging is a look at outcomes before the close: it is recorded with its reason"
    hint = "say why: --reason TEXT, which is printed in every report of this run; or judge when the run is closed"
    return _at(entry, "P944", what, hint=hint)


def _at(entry: Entry, code: str, summary: str, *, detail: str | None = None, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code=code, summary=summary, span=entry.span, detail=detail, hint=hint)


def _secrets(plan: RunPlan) -> dict[str, str]:
    """Give the credentials that the run was given, as far as they are set here: no evidence is kept with one in it."""
    found: dict[str, str] = {}
    for arm in plan.arms:
        if arm.agent.kind in plugins.installed("agents") and arm.provider.kind in plugins.installed("providers"):
            agent = cast("Agent", plugins.load("agents", arm.agent.kind))
            provider = cast("Provider", plugins.load("providers", arm.provider.kind))
            found |= let_through(arm, agent, provider)
    return found
