"""How far a run is, in counts: nothing here tells how its trials came out."""

from dataclasses import dataclass
from decimal import Decimal

from compiler.plan import RunPlan
from executor.history import History


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """Counts of a run. ``retried`` are attempts beyond the first of their trial.

    ``spent`` (USD) is what is known to have been spent over all attempts, ``unknown_costs`` the attempts that ended without a known cost.
    ``stopped_by`` says why work stopped before the end.
    """

    planned: int
    outcomes: int
    gaps: int
    attempts: int
    running: int
    retried: int
    spent: Decimal
    unknown_costs: int
    closed: bool
    stopped_by: str | None = None

    @property
    def remaining(self) -> int:
        """Trials that still need an attempt or are under way."""
        return self.planned - self.outcomes - self.gaps


def counted(plan: RunPlan, history: History, *, stopped_by: str | None = None) -> Progress:
    """Count a history; claims without an end count as running."""
    attempts = sum(history.attempts.values())
    return Progress(
        planned=len(plan.trials),
        outcomes=len(history.outcomes),
        gaps=len(history.gaps),
        attempts=attempts,
        running=len(history.open),
        retried=attempts - len(+history.attempts),
        spent=history.spent,
        unknown_costs=sum(history.unknown.values()),
        closed=history.closed,
        stopped_by=stopped_by,
    )
