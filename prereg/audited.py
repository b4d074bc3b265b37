"""What an audit found: its checks, what they mean together, and what no check on these bytes can exclude."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ledger.errors import Fault

Status = Literal["passed", "refused", "undecided", "not-reached", "not-asked"]


class NotAsked(str):
    """What a check says when the auditor brought nothing along to compare with; it proves nothing."""

    __slots__ = ()


TIER = "UNANCHORED"
"""What the evidence is worth so far: nobody outside has witnessed the registration or the ledger."""

NOT_PROVEN = (
    "that the registration existed before the runs: no outside witness has dated it, and every time here is a claim",
    "that the ledger was not written anew as a whole: whoever rebuilds every digest leaves no trace in these bytes",
    "that nothing was run, looked at and thrown away before: a copied folder can be run and restored (rewind)",
    "that no other registration or identity exists whose result was worse",
    "that nobody read the raw files before the run was closed",
    "that the agent and the model behind it are what they say they are",
    "that no solution deceives its tests from inside their process: a result that claims to equal everything is equal",
)
"""What no check on these bytes can exclude; printed by every audit."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What the auditor brings along: the spec digest they expect, and a page that publishes numbers."""

    expect: str | None = None
    published: Path | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """The result of one check: a sentence on what was compared, and the reasons when it is not passed."""

    number: int
    name: str
    status: Status
    detail: str
    reasons: tuple[Fault, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Audited:
    """All checks, in order, and what follows from them."""

    checks: tuple[Check, ...]
    warnings: tuple[str, ...]

    @property
    def status(self) -> Literal["verified", "refused", "undecided"]:
        """Refused when any check is; undecided when any could not be decided; else verified."""
        found = {each.status for each in self.checks}
        return "refused" if "refused" in found else "undecided" if "undecided" in found else "verified"

    @property
    def reasons(self) -> tuple[Fault, ...]:
        """The reasons of all checks."""
        return tuple(reason for each in self.checks for reason in each.reasons)
