"""What a run is opened with beside its plan: the command line of each arm, and the runs of the experiment that came before."""

from collections.abc import Mapping

from compiler.plan import RunPlan
from ledger.errors import IntegrityFault
from ledger.records import EarlierRun, Outcome
from ledger.store import read
from prereg import run_record
from prereg.experiment import RunFolder
from prereg.knowledge import command_line

UNREADABLE = "unreadable"
"""Stands for the head of a ledger that is damaged; its run is told all the same."""


def commands(plan: RunPlan) -> Mapping[str, tuple[str, ...]]:
    """Give each arm's command line, with ``{prompt}`` and the like in place: the entry point by which its tool is driven."""
    return {arm.name: command_line(arm) for arm in plan.arms}


def earlier_runs(folder: RunFolder) -> tuple[EarlierRun, ...]:
    """Read how far the other runs of the experiment have come, by name. A run that began no ledger is none."""
    runs = folder.experiment.runs
    found = []
    for place in sorted(runs.iterdir()) if runs.is_dir() else ():
        other = RunFolder(root=place)
        if place.resolve() == folder.root.resolve() or not other.record.is_file():
            continue
        try:
            record = run_record.read(other)
            lines = read(other.root, record.registration_digest)
        except IntegrityFault:
            found.append(EarlierRun(run=other.name, registration=UNREADABLE, head=UNREADABLE, outcomes=0))
            continue
        outcomes = sum(isinstance(line.record, Outcome) for line in lines.lines)
        if lines.lines:
            found.append(
                EarlierRun(run=other.name, registration=record.registration, head=lines.head, outcomes=outcomes)
            )
    return tuple(found)
