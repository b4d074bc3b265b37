"""The nouns of one attempt: what it is asked to do, what is noted on the way, and what was observed in the end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from compiler.plan import ArmPlan, Chosen, CollectPlan, TaskPlan, TrialPlan
from compiler.routes import RoutesPlan
from compiler.steps import RepairsPlan
from executor.environments import Environment
from executor.ports import Agent, Grader, Network, Provider, Rules, Sandbox
from executor.redact import redact, redact_text
from executor.vault import Vault
from ledger.blobs import Blobs
from ledger.plain import Plain
from ledger.records import Ended


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialOrder:
    """All that one attempt needs, as plain data and plugins without state: it travels to a worker and back by pickle.

    ``pool``, ``inputs`` and ``artefacts`` are blob folders; ``secrets`` (name → value) are given to the agent and redacted everywhere.
    """

    trial: TrialPlan
    attempt: int
    task: TaskPlan
    arm: ArmPlan
    checks: Mapping[str, Chosen]
    collect: Mapping[str, CollectPlan]
    files: Mapping[str, str]
    agent: Agent
    provider: Provider
    sandbox: Sandbox
    graders: Mapping[str, Grader]
    environment: Environment
    pool: Path
    inputs: Path
    artefacts: Path
    scratch: Path
    cache: Path
    base: Path
    retries: int = 0
    """Attempts that a registered rule sent back before this one; those that the world lost are not among them."""
    network: Network = "none"
    routes: RoutesPlan = field(default_factory=RoutesPlan)
    secrets: Mapping[str, str] = field(default_factory=dict)
    repairs: RepairsPlan | None = None
    rules: Rules | None = None
    """The registered conditions, where the attempt has to know its verdict itself: with ``repairs``."""
    vault: Vault | None = None
    """The private store of a private task: its material is there, and its artefacts go there."""

    @property
    def material(self) -> Blobs:
        """Where the task's trees, tests and reference are."""
        return Blobs(self.pool) if self.vault is None else self.vault.blobs

    @property
    def kept(self) -> Blobs:
        """Where artefacts of the attempt are kept."""
        return Blobs(self.artefacts) if self.vault is None else self.vault.blobs


@dataclass(frozen=True, kw_only=True, slots=True)
class Observed:
    """What came of an attempt, before any rule judges it.

    ``graded``: there are check results. ``skipped``: a program that the task requires is missing. ``invalid``: the environment was not
    the registered one (``expected``, ``got``). ``failed``: the world failed at ``step``; ``code`` and ``detail`` say how.
    """

    kind: Literal["graded", "skipped", "invalid", "failed"]
    step: str = ""
    code: str = ""
    detail: str = ""
    ended: Ended | None = None
    measures: Mapping[str, Plain] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    checks: Mapping[str, Mapping[str, Plain]] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    blobs: Mapping[str, str] = field(default_factory=dict)
    expected: Mapping[str, Plain] = field(default_factory=dict)
    got: Mapping[str, Plain] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    copied: str | None = None


class InvalidError(Exception):
    """The environment is not the registered one."""

    def __init__(self, detail: str, expected: Mapping[str, Plain], got: Mapping[str, Plain]) -> None:
        super().__init__(detail)
        self.detail, self.expected, self.got = detail, expected, got


@dataclass(kw_only=True, slots=True)
class Notebook:
    """What is known so far, so that a failure at any step still tells it."""

    order: TrialOrder
    step: str = "begin"
    ended: Ended | None = None
    measures: dict[str, Plain] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    blobs: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    copied: str | None = None

    def keep(self, name: str, data: bytes) -> None:
        """Store an artefact, redacted; its digest is of the redacted bytes."""
        self.blobs[name] = self.order.kept.put(redact(data, self.order.secrets.items()))

    def observed(self, kind: Literal["graded", "skipped", "invalid", "failed"]) -> Observed:
        """Close the notebook."""
        secrets = self.order.secrets.items()
        return Observed(
            kind=kind,
            step=self.step,
            ended=self.ended,
            measures=self.measures,
            reasons={name: redact_text(why, secrets) for name, why in self.reasons.items()},
            versions=self.versions,
            blobs=self.blobs,
            notes=tuple(redact_text(note, secrets) for note in self.notes),
            copied=self.copied,
        )
