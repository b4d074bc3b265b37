"""Which models may have read a task's fix: those whose training data reaches to its date."""

from collections.abc import Sequence

from compiler.arms import resolve
from compiler.task import Candidate
from ledger.plain import Plain
from spec_lang.expr.values import day
from spec_lang.model import Spec

PUBLISHED: Sequence[str] = ("committed", "published", "merged", "closed", "issue.closed", "authored")
"""Facts that date a task, the first known one counts: when its solution could be read."""


def task_date(candidate: Candidate) -> str | None:
    """Give the day (YYYY-MM-DD) on which a task's solution could first be read, or None when no fact tells."""
    for fact in PUBLISHED:
        found = day_text(candidate.facts.get(fact))
        if found is not None:
            return found
    return None


def day_text(fact: Plain) -> str | None:
    """Give the day (UTC) of a stored date or time as ``YYYY-MM-DD``, or None when it is none."""
    if not isinstance(fact, str):
        return None
    try:
        return day(fact).isoformat()
    except ValueError:
        return None


def predated_models(spec: Spec, candidate: Candidate) -> tuple[str, ...]:
    """Name the models of the arms whose cut-off lies on or after the task's date: contamination is possible.

    ISO dates compare as text. A task without a date, or a model without a cut-off, is not flagged here; the missing
    cut-off has a warning of its own.
    """
    dated = task_date(candidate)
    cutoffs = spec.foreknowledge.model_cutoffs
    used = {arm.agent.model for arm in resolve(spec)}
    return tuple(model for model in sorted(cutoffs) if model in used and dated is not None and cutoffs[model] >= dated)
