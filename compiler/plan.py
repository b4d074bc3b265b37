"""The plans: HarvestPlan, RunPlan and AnalysisPlan as plain data, and the Plan that locks the last two together.

Expressions stand here as canonical text. A RunPlan says what to do; an AnalysisPlan says what is hoped and how it is judged.
Executing code is handed a HarvestPlan or a RunPlan, never an AnalysisPlan.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal

from compiler.routes import RoutesPlan
from compiler.steps import RepairsPlan, StepPlan
from ledger.plain import Plain

PLAN_TYPE = "prereg.plan/v1"
HARVEST_TYPE = "prereg.harvest-plan/v1"


@dataclass(frozen=True, kw_only=True, slots=True)
class Chosen:
    """A plugin by its kind, with its settings."""

    kind: str
    options: Mapping[str, Plain] = field(default_factory=dict)


# --- harvest ---


@dataclass(frozen=True, kw_only=True, slots=True)
class HarvestSet:
    """One set of tasks to look for; ``where`` are the conditions in canonical text, judged by an injected predicate."""

    name: str
    source: Chosen
    where: tuple[str, ...]
    harvests: int
    environment: Chosen | None


@dataclass(frozen=True, kw_only=True, slots=True)
class HarvestPlan:
    """What harvest carries out. Its digest binds a pool to the specs it serves."""

    sets: tuple[HarvestSet, ...]
    type: str = HARVEST_TYPE


# --- run ---


@dataclass(frozen=True, kw_only=True, slots=True)
class LimitsPlan:
    """What one attempt may use, in base units; None is no limit of that kind."""

    time_s: Decimal
    cost_usd: Decimal | None = None
    turns: int | None = None
    memory_bytes: int | None = None
    processes: int | None = None
    output_bytes: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskLimits:
    """What an attempt at one task may use, in base units; counts where it is lower than the arm's own limit."""

    time_s: Decimal | None = None
    cost_usd: Decimal | None = None


def lowered(limits: LimitsPlan, task: TaskLimits | None) -> LimitsPlan:
    """Give an arm's limits at a task: of two limits of one kind the lower one."""
    if task is None:
        return limits
    time_s = limits.time_s if task.time_s is None else min(limits.time_s, task.time_s)
    costs = [each for each in (limits.cost_usd, task.cost_usd) if each is not None]
    return replace(limits, time_s=time_s, cost_usd=min(costs, default=None))


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentPlan:
    """The agent of one arm, fully resolved."""

    kind: str
    version: str | None
    model: str | None
    limits: LimitsPlan
    options: Mapping[str, Plain] = field(default_factory=dict)


def one_tool(one: AgentPlan, other: AgentPlan) -> bool:
    """Tell whether two agents are one program: of one kind and version, under the same options. The model is but a word to it."""
    return (one.kind, one.version, one.options) == (other.kind, other.version, other.options)


@dataclass(frozen=True, kw_only=True, slots=True)
class ArmPlan:
    """One arm, fully resolved; ``level`` is that of ``across`` at which it runs, and then its name is ``ARM_LEVEL``."""

    name: str
    level: str | None = None
    agent: AgentPlan
    provider: Chosen
    flags: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    hide_from_path: tuple[str, ...] = ()
    expect: Mapping[str, Plain] = field(default_factory=dict)

    @property
    def said(self) -> str:
        """Its name in the spec, which is that of the arm at every level."""
        return self.name if self.level is None else self.name.removesuffix(f"_{self.level}")


@dataclass(frozen=True, kw_only=True, slots=True)
class OraclePlan:
    """Checks by name, and conditions over their results in canonical text."""

    checks: Mapping[str, Chosen | str]
    passes: tuple[str, ...]
    partial: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PrivatePlan:
    """Where a private task's blobs lie: the variable that leads to the store, and the digest of the task's record in it."""

    store_env: str
    record: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskPlan:
    """One drawn task: digests of its blobs and of its prompt. ``oracle`` names an entry of RunPlan.oracles.

    ``steps`` follow the prompt, in order. ``fixture`` is the digest of the shared context that a provider may hand out.
    """

    id: str
    set: str
    oracle: str
    given: str
    held_out: str
    prompt: str
    tests: str | None = None
    reference: str | None = None
    answer: str | None = None
    """Digest of the reference answer, where the task asks for one."""
    gold_files: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    environment: Chosen | None = None
    limits: TaskLimits | None = None
    steps: tuple[StepPlan, ...] = ()
    fixture: str | None = None
    private: PrivatePlan | None = None
    """Set where the task's material, prompt and artefacts are in a private store, sealed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialPlan:
    """One (task, arm, seed)."""

    task: str
    arm: str
    seed: int

    @property
    def id(self) -> str:
        """``TASK/ARM/SEED``."""
        return f"{self.task}/{self.arm}/{self.seed}"


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptRule:
    """A missing-data rule as far as running needs it: in order, first match wins; ``retry`` None means: record the outcome."""

    rule: str
    when: str
    retry: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class CollectPlan:
    """A fact read from a JSON file in the workspace after the agent stopped; ``lines`` and ``where`` as in a spec's ``collect``."""

    file: str
    type: Literal["count", "bool", "text"]
    path: str | None = None
    lines: Literal["count", "last"] | None = None
    where: Mapping[str, Plain] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPlan:
    """What execute carries out: trials in order, and all that a trial needs. Holds nothing of what is hoped."""

    experiment: str
    stage: str
    simulated: bool
    arms: tuple[ArmPlan, ...]
    tasks: tuple[TaskPlan, ...]
    oracles: Mapping[str, OraclePlan]
    trials: tuple[TrialPlan, ...]
    rules: tuple[AttemptRule, ...]
    measures: Mapping[str, str]
    collect: Mapping[str, CollectPlan]
    sandbox: Chosen | None
    concurrency: int
    budget_usd: Decimal | None
    files: Mapping[str, str] = field(default_factory=dict)
    """Files of the author that providers write: name as in the spec → digest among the inputs."""
    repairs: RepairsPlan | None = None
    routes: RoutesPlan = field(default_factory=RoutesPlan)


# --- analysis ---


@dataclass(frozen=True, kw_only=True, slots=True)
class MissingPlan:
    """A missing-data rule; exactly one of retry, value, exclude, keep is set. ``value``: measure → canonical expression."""

    rule: str
    when: str
    retry: int | None = None
    value: Mapping[str, str] | None = None
    exclude: Literal["pair", "trial"] | None = None
    keep: Literal["unknown"] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class EndpointPlan:
    """An endpoint; expressions in canonical text. ``unit`` is the dimension of its estimate (``USD``, ``share``, ``pp``, ``count``, …)."""

    name: str
    role: str
    unit: str
    measure: str | None = None
    where: tuple[str, ...] = ()
    per_task: str | None = None
    k: int | None = None
    compare: str | None = None
    statistic: str | None = None
    test: Chosen | None = None
    interval: Chosen | None = None
    by: tuple[str, ...] = ()
    show: str | None = None
    per_arm: str | None = None
    over: str | None = None
    """``attempts``: ``per_arm`` adds up every attempt, lost ones too; None is trials."""
    level: str | None = None
    """The level that it is within."""
    pooled: tuple[str, ...] = ()
    """The levels that it is over, all together: of each task the mean of its values in them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionPlan:
    """The registered decision rule. ``family`` stands in the order of testing where the ``correction`` has one."""

    claim: str
    supported_when: tuple[str, ...]
    wording: Mapping[str, str]
    decidable_when: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    family: tuple[str, ...] = ()
    correction: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskFacts:
    """What the analysis may know of a task: its set, category, and the facts that ``where`` of an endpoint may read."""

    id: str
    set: str
    use: str
    category: str | None = None
    facts: Mapping[str, Plain] = field(default_factory=dict)
    predates: tuple[str, ...] = ()
    """Models whose training cut-off lies on or after the task's date (contamination is possible)."""
    limits: TaskLimits | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class AnalysisPlan:
    """What is hoped and how it is judged. Order of endpoints and rules is the order of the report."""

    question: str
    stage: str
    simulated: bool
    tasks: tuple[TaskFacts, ...]
    arms: tuple[str, ...]
    seeds: int
    limits: Mapping[str, LimitsPlan]
    collect: Mapping[str, CollectPlan]
    measures: Mapping[str, str]
    missing: tuple[MissingPlan, ...]
    endpoints: tuple[EndpointPlan, ...]
    decision: DecisionPlan
    sample_size: Mapping[str, Plain]
    threats: tuple[str, ...]
    does_not_show: str
    foreknowledge: Mapping[str, Plain]
    selection: Mapping[str, Plain]
    """How the tasks were chosen: per set, counts of found, dropped by reason, excluded by reason, drawn; the drawn order."""
    overhead: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    """Arm → fact (``overhead.tokens``) → what the arm was measured to use on a prompt that asks for nothing; None is unknown."""
    routes: Mapping[str, str] = field(default_factory=lambda: {"cost": "agent-result", "time": "harness-bracket"})
    """``cost`` and ``time``: their routes; ``table``, ``prices``, ``as_of``: file, digest and day of the prices of tokens, if any."""
    unscored: Mapping[str, str] = field(default_factory=dict)
    accommodations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Arm → what it was granted."""
    same_tool: tuple[tuple[str, ...], ...] = ()
    """Groups of arms whose agent is one program under one configuration: its version must be the same in all of them."""
    estimate: Mapping[str, str] = field(default_factory=dict)
    """What the run was to take: ``most_usd`` and ``most_s`` by its limits, ``usd`` and ``s`` as the author expects (``LOW..HIGH``)."""
    levels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Level of ``across`` → arm as the spec names it → that arm at the level, one of ``arms``; empty without levels."""
    cache: Mapping[str, Plain] = field(default_factory=dict)
    """In which state the provider's cache was meant to be: ``intended`` and ``statement``; empty where nothing was said."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A locked plan: what to do, how it is judged, and the versions of the procedures that both rely on."""

    spec_digest: str
    run: RunPlan
    analysis: AnalysisPlan
    procedures: Mapping[str, str]
    canon: str = "1"
    type: str = PLAN_TYPE
