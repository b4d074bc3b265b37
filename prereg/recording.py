"""Recordings from a run: what its agents did, in the form that ``kind: replay`` plays, and a word on every call that none can hold."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from executor.agents.recorder import LeftOut, Recorded, read_events, record
from executor.agents.recordings import write_recording
from executor.evidence import EVENTS
from ledger.blobs import Blobs
from ledger.disk import disk_faults, write_whole
from ledger.errors import Fault, UndecidedFault, WorldFault
from ledger.records import Closed, Outcome
from prereg.case import Case
from prereg.experiment import RunFolder

ANSWER = "answer"


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """One trial: its recording's file (None: none could be made, and ``why``), and the calls that it lacks."""

    trial: str
    file: Path | None
    left_out: tuple[LeftOut, ...] = ()
    why: str = ""


def record_run(folder: RunFolder, into: Path, *, trial: str | None = None) -> tuple[Written, ...]:
    """Write ``INTO/TASK/ARM/SEED.json`` for every outcome of a closed run, or for one trial. Nothing is run, and the ledger stays as it is.

    Raises:
        IntegrityFault: The ledger or a blob is not what it was.
        UndecidedFault: The run is open (``open``): what its agents did is not looked at before its end.
        WorldFault: There is no such trial (``no-trial``); another recording stands in the place of one (``recording-there``).
    """
    case = Case(folder)
    _ = (case.plan, case.opened)
    if not any(isinstance(line.record, Closed) for line in case.lines):
        what, hint = "the run is open, and its agents are not looked at before its end", "prereg execute resumes it"
        raise UndecidedFault(Fault(code="open", what=what, hint=hint))
    outcomes = [line.record for line in case.lines if isinstance(line.record, Outcome)]
    chosen = [each for each in outcomes if trial is None or each.trial == trial]
    if trial is not None and not chosen:
        known = ", ".join(each.trial for each in outcomes[:3])
        raise WorldFault(Fault(code="no-trial", what=f"no outcome of {trial}", expected=f"one such as {known}"))
    blobs = Blobs(folder.root / "blobs")
    return tuple(_written(each, blobs, into) for each in chosen)


def _written(outcome: Outcome, blobs: Blobs, into: Path) -> Written:
    made = _recorded(outcome, blobs)
    if isinstance(made, str):
        return Written(trial=outcome.trial, file=None, why=made)
    file = into / outcome.task / outcome.arm / f"{outcome.seed}.json"
    data = write_recording(made.recording)
    with disk_faults(file):
        if file.is_file() and file.read_bytes() != data:
            what, hint = "another recording stands there already", "write into another folder, or remove it"
            raise WorldFault(Fault(code="recording-there", what=what, where=str(file), hint=hint))
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, data)
    return Written(trial=outcome.trial, file=file, left_out=made.left_out)


def _recorded(outcome: Outcome, blobs: Blobs) -> Recorded | str:
    """Record one outcome, or say why that cannot be."""
    if EVENTS not in outcome.blobs:
        return "no stream of it was kept: its agent gave none"
    if not blobs.has(outcome.blobs[EVENTS]):
        return "its stream lies in a private store"
    answer = blobs.get(outcome.blobs[ANSWER]).decode("utf-8") if ANSWER in outcome.blobs else None
    return record(read_events(blobs.get(outcome.blobs[EVENTS])), answer=answer, measures=outcome.measures)


def told(written: tuple[Written, ...], into: Path) -> dict[str, object]:
    """Give the contract of ``agents record --json``."""
    return {"into": str(into), "recordings": [_told(each, into) for each in written]}


def _told(each: Written, into: Path) -> Mapping[str, object]:
    left = [
        {"turn": call.turn, "call": call.call, "name": call.name, "does": call.does, "why": call.why}
        for call in each.left_out
    ]
    file = None if each.file is None else each.file.relative_to(into).as_posix()
    return {"trial": each.trial, "file": file, "left_out": left, "why": each.why or None}


def lines(written: tuple[Written, ...]) -> Iterator[str]:
    """Say it to a person."""
    for each in written:
        yield f"{each.trial}: {each.file or f'not recorded: {each.why}'}"
        for call in each.left_out:
            yield f"  left out in turn {call.turn}: {call.name} ({call.does}): {call.why}"
