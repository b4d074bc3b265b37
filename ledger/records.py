"""What a ledger remembers: frozen nouns, one a kind of line. ``seq``, ``prev``, ``kind`` and ``at`` are added when appended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ledger.plain import Plain

Verdict = Literal["pass", "partial", "fail", "skipped"]
Ended = Literal["finished", "timeout", "limit", "error", "cancelled", "no-result", "skipped"]
"""How the agent stopped. ``limit``: turns, cost, memory, processes or output; ``no-result``: it ended without a result event."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EarlierRun:
    """A run that stood beside a new one when it was opened: what it carried out, and how far its ledger had come."""

    run: str
    registration: str
    head: str
    outcomes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Opened:
    """First line of a ledger: which run of which registration, by which tool.

    ``commands`` holds each arm's command line with ``{prompt}`` and ``{model}`` in place. ``earlier`` are the runs of the experiment
    before this one: after the first of a registration, the next is a retry, which is another experiment.
    """

    run: str
    registration: str
    registration_id: str
    plan_digest: str
    spec_digest: str
    tool: Mapping[str, str]
    host: Mapping[str, Plain]
    simulated: bool
    commands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    earlier: tuple[EarlierRun, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Claimed:
    """An attempt is about to start."""

    trial: str
    attempt: int
    task: str
    arm: str
    seed: int
    machine: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """The one scored outcome of a trial.

    ``measures``: fact name → integer, decimal string, bool or text; null is unknown and has an entry in ``reasons``.
    ``checks``: check name → its results (``ok`` and counts). ``versions``: what was asked of the binaries.
    ``blobs``: name → digest of the artefact after redaction.
    """

    trial: str
    attempt: int
    task: str
    arm: str
    seed: int
    verdict: Verdict
    ended: Ended
    measures: Mapping[str, Plain]
    reasons: Mapping[str, str] = field(default_factory=dict)
    checks: Mapping[str, Mapping[str, Plain]] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    blobs: Mapping[str, str] = field(default_factory=dict)
    machine: str = ""
    simulated: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Infrastructure:
    """An attempt that came to nothing: the world failed, the executor was lost, or a registered rule asks for a retry.

    ``rule`` is the registered rule's name, or ``lost`` (the executor ended before an outcome), or ``world``.
    Its measures are kept (they cost money), and never scored.
    """

    trial: str
    attempt: int
    rule: str
    step: str
    detail: str
    ended: Ended | None = None
    measures: Mapping[str, Plain] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    blobs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class InvalidEnvironment:
    """An attempt whose environment was not the registered one: what was expected, what was seen. Never scored.

    ``rule`` is the registered rule that asks for a retry, or None when no rule speaks of it.
    """

    trial: str
    attempt: int
    detail: str
    rule: str | None = None
    expected: Mapping[str, Plain] = field(default_factory=dict)
    got: Mapping[str, Plain] = field(default_factory=dict)
    measures: Mapping[str, Plain] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    blobs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgment:
    """What a person says of a trial; evidence lives in a blob.

    The first judgment of a trial stands. A later one has a ``reason``: it is a revision, which counts from there on, and the
    earlier ones stay. ``arm_seen``: whether the judge could see which arm it was; None is not said.
    """

    trial: str
    judgment: Literal["success", "partial", "failure", "unjudged"]
    who: str
    evidence: str | None = None
    reason: str | None = None
    arm_seen: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Peek:
    """Outcomes were looked at before the run was closed: what was shown, of how many outcomes, and why."""

    what: str
    outcomes: int
    reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Deviation:
    """Something was not as planned; it never changes an outcome."""

    what: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Checkpoint:
    """How many outcomes and attempts there were at this point; written whenever an executor stops."""

    outcomes: int
    attempts: int
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Closed:
    """The run is complete: no attempt follows. ``gaps`` are trials without an outcome, with the rule that left them so."""

    outcomes: int
    attempts: int
    gaps: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Analysis:
    """A verdict was reached over the ledger up to ``ledger_head``."""

    verdict: str
    status: str
    ledger_head: str


Record: TypeAlias = (
    Opened
    | Claimed
    | Outcome
    | Infrastructure
    | InvalidEnvironment
    | Judgment
    | Peek
    | Deviation
    | Checkpoint
    | Closed
    | Analysis
)

KINDS: Mapping[str, type[Record]] = {
    "opened": Opened,
    "claimed": Claimed,
    "outcome": Outcome,
    "infrastructure": Infrastructure,
    "invalid_environment": InvalidEnvironment,
    "judgment": Judgment,
    "peek": Peek,
    "deviation": Deviation,
    "checkpoint": Checkpoint,
    "closed": Closed,
    "analysis": Analysis,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One line of a ledger: its place in the chain, the claimed time it was written (RFC 3339, UTC), and its record."""

    seq: int
    prev: str
    kind: str
    at: str
    record: Record
