"""Look at the outcomes of an open run, after the ledger has remembered that somebody looked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.interim import Glance, interim
from ledger.errors import Fault, UndecidedFault, WorldFault
from ledger.records import Closed, Line, Outcome, Peek
from ledger.store import Ledger
from prereg import clock
from prereg.case import Case

SHOWN = "status --outcomes: verdicts, and averages of measures, arm by arm"
"""What a look shows, as the ledger remembers it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Looked:
    """What was seen, arm by arm, and the line that remembers it; ``times`` counts all looks so far, this one included."""

    run: str
    simulated: bool
    outcomes: int
    planned: int
    arms: Mapping[str, Glance]
    line: Line
    times: int


def look(case: Case, reason: str) -> Looked:
    """Remember the look in the ledger, on the disk, then give what there is to see.

    Only one process writes a ledger: while an executor is at work, a look would go unrecorded, so it is refused.

    Raises:
        UndecidedFault: The run has not begun; or it is closed, and what it came to is for ``analyze`` to say.
        WorldFault: An executor is at work on the run (``locked``), or the disk fails; nothing is shown then.
        IntegrityFault: Run, registration and ledger do not fit together.
    """
    _ = case.opened
    _refuse_closed(case, case.lines)
    try:
        ledger = Ledger.open(case.folder.root, case.entry.digest, clock.now, known=case.remembered)
    except WorldFault as fault:
        raise _while_running(case, fault) from fault
    with ledger:
        _refuse_closed(case, ledger.lines)  # it may have been closed since it was read
        plan = case.plan
        seen = interim(plan.analysis, ledger.lines, plan.run.trials)
        outcomes = sum(isinstance(each.record, Outcome) for each in ledger.lines)
        line = ledger.append(Peek(what=SHOWN, outcomes=outcomes, reason=reason))
        times = sum(isinstance(each.record, Peek) for each in ledger.lines)
    return Looked(
        run=case.record.run,
        simulated=plan.run.simulated,
        outcomes=outcomes,
        planned=len(plan.run.trials),
        arms=seen,
        line=line,
        times=times,
    )


def _refuse_closed(case: Case, lines: Sequence[Line]) -> None:
    if any(isinstance(each.record, Closed) for each in lines):
        what = "the run is closed: there is nothing left to peek at, and its outcomes are for the registered rule"
        raise UndecidedFault(Fault(code="closed", what=what, hint=f"prereg analyze {case.folder.root}"))


def _while_running(case: Case, fault: WorldFault) -> WorldFault:
    if fault.reasons[0].code != "locked":
        return fault
    again = f"prereg execute {case.experiment.root} --run {case.record.run}"
    return WorldFault(
        Fault(
            code="locked",
            what="an executor is at work on this run, and a look that nobody remembers is not given",
            where=str(case.folder.ledger),
            hint=f"stop it (Ctrl-C where it runs), look, and resume it: {again}",
        )
    )
