"""Tasks that bring their own terms: the prompt, checks, limits and fixture that a source keeps among a candidate's facts."""

from collections.abc import Sequence
from dataclasses import dataclass

from compiler.plan import Chosen, OraclePlan, TaskLimits
from compiler.task import Candidate
from ledger.codec import from_plain
from ledger.errors import Fault, IntegrityFault

CHECKS, LIMITS = "checks", "limits"
"""Facts under which a source keeps a task's checks (name → kind and options) and limits; no condition can read them."""


PASS, PARTIAL = "pass", "partial"
"""Facts under which a source keeps the conditions of a task's own oracle."""

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
    """Give the oracle that a task brings along: all of its checks must hold, unless it says otherwise.

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
    passes = _conditions(candidate, PASS) or tuple(f"{name}.ok" for name in checks)
    return OraclePlan(checks=checks, passes=passes, partial=_conditions(candidate, PARTIAL))


def _conditions(candidate: Candidate, fact: str) -> tuple[str, ...]:
    said = candidate.facts.get(fact, ())
    return tuple(str(each) for each in said) if isinstance(said, Sequence) and not isinstance(said, str) else ()


def own_limits(candidate: Candidate) -> TaskLimits | None:
    """Give the limits that a task brings along, or None. Raises IntegrityFault when they are no limits."""
    said = candidate.facts.get(LIMITS)
    return None if said is None else from_plain(TaskLimits, said, where=f"limits of {candidate.id}")
