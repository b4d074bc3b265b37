"""Count a run's attempts and outcomes, and nothing that tells how they came out."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from ledger.records import Analysis, Claimed, Deviation, Infrastructure, InvalidEnvironment, Outcome, Peek
from prereg.case import Case


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    """The counts of a run. Nothing is broken down by arm, and no verdict, cost or time stands here."""

    document: dict[str, Any]


def status(case: Case) -> Status:
    """Count what the ledger holds. Raises IntegrityFault when it does not fit; the spec may have changed meanwhile."""
    planned = {each.id for each in case.plan.run.trials}
    if case.lines:
        _ = case.opened
    records = [each.record for each in case.lines]
    outcomes = {each.trial for each in records if isinstance(each, Outcome)}
    claimed = {(each.trial, each.attempt) for each in records if isinstance(each, Claimed)}
    ended = {
        (each.trial, each.attempt)
        for each in records
        if isinstance(each, Outcome | Infrastructure | InvalidEnvironment)
    }
    lost = Counter(_why(each) for each in records if isinstance(each, Infrastructure | InvalidEnvironment))
    closed = case.closed
    return Status(
        document={
            "run": case.record.run,
            "registration": case.entry.name,
            "state": "closed" if closed else "open" if case.lines else "not begun",
            "simulated": case.plan.run.simulated,
            "planned": len(planned),
            "outcomes": len(outcomes),
            "remaining": len(planned - outcomes) if closed is None else 0,
            "gaps": 0 if closed is None else len(closed.gaps),
            "attempts": len(claimed),
            "unfinished_attempts": len(claimed - ended),
            "lost_attempts": {rule: lost[rule] for rule in sorted(lost)},
            "deviations": sum(isinstance(each, Deviation) for each in records),
            "looks": sum(isinstance(each, Peek) for each in records),
            "analyzed": any(isinstance(each, Analysis) for each in records),
            "lines": len(case.lines),
            "ledger_head": case.remembered.head,
            "torn_bytes": len(case.remembered.torn),
        }
    )


def _why(record: Infrastructure | InvalidEnvironment) -> str:
    return record.rule if isinstance(record, Infrastructure) else "invalid environment"
