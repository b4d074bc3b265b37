"""Reads a ledger's lines against the planned trials: who claimed what, what came of it, and what does not belong."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from compiler.plan import TrialPlan
from ledger.errors import Fault, IntegrityFault
from ledger.records import (
    Analysis,
    Claimed,
    Closed,
    Deviation,
    Infrastructure,
    InvalidEnvironment,
    Judgment,
    Line,
    Opened,
    Outcome,
    Peek,
)

Lost = Infrastructure | InvalidEnvironment
"""An attempt that came to nothing."""


def used_up(each: Lost) -> bool:
    """Say whether an attempt that does not count had used up its limits: that is a result, whatever rule sent it back."""
    return isinstance(each, Infrastructure) and each.ended in ("timeout", "limit")


SHOWN = 20
"""Faults of one kind that are told one by one; the rest is counted."""


@dataclass(kw_only=True, slots=True)
class Gathered:
    """What the lines say, by trial id. Filled by ``gather`` and only read afterwards."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    seqs: dict[str, int] = field(default_factory=dict)
    """The line of each outcome."""
    times: dict[str, str] = field(default_factory=dict)
    """When each outcome was written, as its line claims."""
    machines: set[str] = field(default_factory=set)
    """On which machines outcomes came about."""
    claims: dict[str, list[int]] = field(default_factory=dict)
    lost: dict[str, list[tuple[Line, Lost]]] = field(default_factory=dict)
    judgments: dict[str, list[tuple[Line, Judgment]]] = field(default_factory=dict)
    """Every judgment of a trial, oldest first; the last one counts, and each but the first says why it revises."""
    peeks: list[tuple[Line, Peek]] = field(default_factory=list)
    """Looks at outcomes before the close; a later one is no peek."""
    deviations: list[tuple[Line, Deviation]] = field(default_factory=list)
    opened: Opened | None = None
    closed: Closed | None = None
    analyzed: int | None = None
    """The line of the first analysis."""


def gather(lines: Sequence[Line], trials: Sequence[TrialPlan]) -> Gathered:  # noqa: C901  # one case a kind of record
    """Sort lines by what they are about. Their order matters only where time does: claim, end, close.

    Raises:
        IntegrityFault: An outcome is doubled, foreign, unclaimed or contradicts its own trial id; an attempt ended twice;
            work follows the close; the close counts other outcomes than there are; the ledger does not start by opening.
    """
    planned = {trial.id: trial for trial in trials}
    found = Gathered()
    faults: list[Fault] = []
    if lines and not isinstance(lines[0].record, Opened):
        faults.append(
            _fault("not-opened", "the ledger does not start by opening a run", "opened", lines[0].kind, lines[0])
        )
    for line in lines:
        match line.record:
            case Claimed() | Outcome() | Infrastructure() | InvalidEnvironment() as record:
                faults += _work(line, record, found, planned)
            case Opened() as record:
                if found.opened is not None:
                    faults.append(_fault("doubled", "the run is opened twice", "one opened line", "another one", line))
                found.opened = record
            case Closed() as record:
                if found.closed is not None:
                    faults.append(_fault("doubled", "the run is closed twice", "one closed line", "another one", line))
                found.closed = record
            case Judgment() as record:
                faults += _judged(line, record, found, planned)
            case Peek() as record if found.closed is None:
                found.peeks.append((line, record))
            case Deviation() as record:
                found.deviations.append((line, record))
            case Analysis():
                found.analyzed = found.analyzed or line.seq
    faults += _counts(found, lines)
    faults += _contradictions(found, planned)
    if faults:
        raise IntegrityFault(*bounded(faults))
    return found


def bounded(faults: Sequence[Fault]) -> tuple[Fault, ...]:
    """Tell the first faults one by one, and count the rest."""
    if len(faults) <= SHOWN:
        return tuple(faults)
    return (*faults[:SHOWN], Fault(code="more", what=f"and {len(faults) - SHOWN} more like these"))


def _work(
    line: Line,
    record: Claimed | Outcome | Lost,
    found: Gathered,
    planned: Mapping[str, TrialPlan],
) -> Iterator[Fault]:
    """Place a claim or the end of an attempt."""
    trial, attempt = record.trial, record.attempt
    if trial not in planned:
        yield _foreign(trial, line)
        return
    if found.closed is not None:
        yield _fault(
            "after-close", f"work on {trial} after the run was closed", "nothing but analysis", line.kind, line
        )
    if isinstance(record, (Claimed, Outcome)):
        says = f"{record.task}/{record.arm}/{record.seed}"
        if says != trial:
            yield _fault("foreign", f"the {line.kind} of {trial} is about another trial", trial, says, line)
    if isinstance(record, Claimed):
        claims = found.claims.setdefault(trial, [])
        if attempt in claims:
            yield _fault("doubled", f"attempt {attempt} of {trial} is claimed twice", "one claim", "another one", line)
        claims.append(attempt)
        return
    if attempt not in found.claims.get(trial, ()):
        yield _fault(
            "unclaimed", f"attempt {attempt} of {trial} ended, but nobody claimed it", "an earlier claim", "none", line
        )
    if _has_ended(found, trial, attempt):
        yield _fault("doubled", f"attempt {attempt} of {trial} ends twice", "one end", f"another: {line.kind}", line)
    if isinstance(record, Outcome):
        if trial in found.outcomes:
            first = found.seqs[trial]
            yield _fault(
                "doubled", f"{trial} has two outcomes", f"the one of line {first}", f"another in line {line.seq}", line
            )
        else:
            found.outcomes[trial], found.seqs[trial], found.times[trial] = record, line.seq, line.at
            found.machines.add(record.machine)
    else:
        found.lost.setdefault(trial, []).append((line, record))


def _has_ended(found: Gathered, trial: str, attempt: int) -> bool:
    outcome = found.outcomes.get(trial)
    return (outcome is not None and outcome.attempt == attempt) or any(
        lost.attempt == attempt for _, lost in found.lost.get(trial, ())
    )


def _judged(line: Line, record: Judgment, found: Gathered, planned: Mapping[str, TrialPlan]) -> Iterator[Fault]:
    """Place a judgment: of a result that was there, and overwriting none."""
    trial = record.trial
    if trial not in planned:
        yield _foreign(trial, line)
    elif trial not in found.outcomes:
        yield _fault("judged-early", f"{trial} is judged before it has a result", "an outcome before it", "none", line)
    elif trial in found.judgments and record.reason is None:
        first = found.judgments[trial][-1][0].seq
        expected = "a reason, as every revision has"
        yield _fault("overwritten", f"the judgment of {trial} in line {first} is overwritten", expected, "none", line)
    found.judgments.setdefault(trial, []).append((line, record))


def _counts(found: Gathered, lines: Sequence[Line]) -> Iterator[Fault]:
    if found.closed is not None and found.closed.outcomes != len(found.outcomes):
        yield Fault(
            code="count",
            what="the run was closed with another number of outcomes than the ledger holds",
            expected=f"{found.closed.outcomes} outcomes",
            got=f"{len(found.outcomes)}",
            where=f"ledger, {len(lines)} lines",
            hint="lines were dropped or added; restore the ledger as the executor left it",
        )


def _contradictions(found: Gathered, planned: Mapping[str, TrialPlan]) -> Iterator[Fault]:
    """A close names gaps; each must be a planned trial without an outcome."""
    for trial in found.closed.gaps if found.closed is not None else ():
        if trial in planned and trial not in found.outcomes:
            continue
        yield Fault(
            code="gap",
            what=f"the run was closed with a gap at {trial}, "
            + ("which has an outcome" if trial in planned else "which is not planned"),
            expected="a planned trial without an outcome",
            got=trial,
            where="ledger: closed",
            hint="restore the ledger as the executor left it",
        )


def _foreign(trial: str, line: Line) -> Fault:
    return _fault("foreign", f"{trial} is not in the plan", "a planned trial", trial, line)


def _fault(code: str, what: str, expected: str, got: str, line: Line) -> Fault:
    return Fault(
        code=code,
        what=what,
        expected=expected,
        got=got,
        where=f"ledger line {line.seq}",
        hint="restore the ledger as the executor left it; a line is never edited, doubled or moved",
    )
