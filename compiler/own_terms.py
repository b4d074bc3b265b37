"""Tasks that bring their own terms: the prompt, checks and limits that a source keeps among a candidate's facts."""

from compiler.plan import Chosen, OraclePlan, TaskLimits
from compiler.task import Candidate
from ledger.codec import from_plain
from ledger.errors import Fault, IntegrityFault

CHECKS, LIMITS = "checks", "limits"
"""Facts under which a source keeps a task's checks (name → kind and options) and limits; no condition can read them."""


def own_oracle(candidate: Candidate) -> OraclePlan:
    """Give the oracle that a task brings along: all of its checks must hold.

    Raises:
        IntegrityFault: The pool holds no such checks (``own-checks``, ``shape``); harvest wrote others.
    """
    where = f"checks of {candidate.id}"
    said = candidate.facts.get(CHECKS)
    if not isinstance(said, dict) or not said:
        raise IntegrityFault(
            Fault(code="own-checks", what="a task of the pool brings no checks", where=where, hint="harvest again")
        )
    checks = {name: from_plain(Chosen, said[name], where=where) for name in sorted(said)}
    return OraclePlan(checks=checks, passes=tuple(f"{name}.ok" for name in checks))


def own_limits(candidate: Candidate) -> TaskLimits | None:
    """Give the limits that a task brings along, or None. Raises IntegrityFault when they are no limits."""
    said = candidate.facts.get(LIMITS)
    return None if said is None else from_plain(TaskLimits, said, where=f"limits of {candidate.id}")
