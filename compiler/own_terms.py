"""Tasks that bring their own terms: the prompt, checks, limits and fixture that a source keeps among a candidate's facts."""

from dataclasses import dataclass

from compiler.plan import Chosen, OraclePlan, TaskLimits
from compiler.task import Candidate
from ledger.codec import from_plain
from ledger.errors import Fault, IntegrityFault

CHECKS, LIMITS = "checks", "limits"
"""Facts under which a source keeps a task's checks (name → kind and options) and limits; no condition can read them."""


FIXTURE = "fixture"
"""Fact under which a source keeps the shared context of a task: the name of its file, and its text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fixture:
    """The shared context of a task, as a provider may hand it to an agent; ``file`` says where its author wrote it."""

    file: str
    text: str

    @property
    def data(self) -> bytes:
        """The text as stored."""
        return self.text.encode("utf-8")


def own_fixture(candidate: Candidate) -> Fixture | None:
    """Give the fixture that a task brings along, or None. Raises IntegrityFault when it is no fixture."""
    said = candidate.facts.get(FIXTURE)
    return None if said is None else from_plain(Fixture, said, where=f"fixture of {candidate.id}")


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
