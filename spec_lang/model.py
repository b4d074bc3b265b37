"""The Spec and its parts: what an author can say, as frozen nouns without positions.

Field names are the keys of the YAML file; a trailing underscore is dropped (``pass_`` is ``pass``). The shape is checked
by ``spec.schema.json`` before a noun is built, so a noun is always well-formed; what it means is checked by ``compiler.checks``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, TypeAlias

from spec_lang.expr.ast import Expression
from spec_lang.quantity import Quantity, Range

Settings: TypeAlias = Mapping[str, object]
"""Plain data under string keys: None, bool, int, str, list, dict; a decimal is a Decimal. Its shape is the business of the kind."""

Stage = Literal["smoke", "pilot", "confirmatory", "exploratory"]
Access = Literal["nothing-run", "runs-not-opened", "outcomes-seen"]
Role = Literal["primary", "co-primary", "effect", "secondary", "negative-control", "noise-floor", "manipulation-check"]
PerTask = Literal["mean", "sum", "majority", "only", "pass-at-k", "pass-hat-k"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """A plugin by its kind, with its own settings: ``{kind: …, …}``."""

    kind: str
    options: Settings = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Foreknowledge:
    """What the author knew when writing; ``model_cutoffs`` gives each model's training cut-off (YYYY-MM-DD)."""

    access: Access
    statement: str
    model_cutoffs: Mapping[str, str] = field(default_factory=dict)
    pilots: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Draw:
    """Sort the candidates, shuffle them, walk, keep the first ``take``; fewer is a fault unless ``at_most``."""

    sort: str
    shuffle: Choice | None = None
    take: int | Literal["all"] = "all"
    at_most: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Exclusions:
    """A file of (task, reason) recorded before the draw; reasons come from this closed list only."""

    file: str
    reasons: Mapping[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Stability:
    """How often each candidate's oracle is established; different results reject it as flaky."""

    harvests: int = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Prompts:
    """A file with one prompt a task, a suffix for all of them, and what a prompt may not name."""

    file: str
    suffix: str = ""
    refuse: tuple[Literal["gold-file", "gold-symbol"], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Leakage:
    """What of a task's fix may not stand in its prompt, nor in what any arm's provider brings along.

    ``gold-file``: a file of the fix; ``gold-symbol``: a symbol of the fix (of a defect: any name on a line that it
    changes, on either side), or a test that proves it; ``gold-line``: a substantial line that the fix adds or removes.
    """

    refuse: tuple[Literal["gold-file", "gold-symbol", "gold-line"], ...]
    in_: tuple[Literal["prompts", "provider-files"], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Oracle:
    """Named checks, and the conditions over them for pass and partial; anything else is fail.

    ``from_`` is ``task`` where each task brings its own checks, all of which must hold; the rest is empty then.
    """

    checks: Mapping[str, Choice | Expression] = field(default_factory=dict)
    pass_: tuple[Expression, ...] = ()
    partial: tuple[Expression, ...] = ()
    from_: Literal["task"] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskSet:
    """One named set of tasks: where they come from, which are kept, and how a result is judged."""

    source: Choice
    draw: Draw
    oracle: Oracle
    use: Literal["decision", "development"] = "decision"
    where: tuple[Expression, ...] = ()
    environment: Choice | None = None
    exclusions: Exclusions | None = None
    stability: Stability = field(default_factory=Stability)
    prompts: Prompts | None = None
    leakage: Leakage | None = None
    disjoint_from: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What one attempt may use; None is no limit of that kind."""

    time: Quantity
    cost: Quantity | None = None
    turns: int | None = None
    memory: Quantity | None = None
    processes: int | None = None
    output: Quantity | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Agent:
    """The agent under test, the same in all arms unless an arm says otherwise; ``options`` belong to its kind."""

    kind: str
    limits: Limits
    version: str | None = None
    model: str | None = None
    options: Settings = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Arm:
    """What differs in one arm, or ``repeats`` for an A/A copy of another arm."""

    provider: Choice = field(default_factory=lambda: Choice(kind="none"))
    agent: Settings = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    hide_from_path: tuple[str, ...] = ()
    expect: Settings = field(default_factory=dict)
    accommodations: tuple[str, ...] = ()
    repeats: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """The money all attempts together may cost; nothing is started that could pass it.

    ``estimate`` and ``estimate_time`` are what the author expects of the whole run; they are told, and guard nothing.
    """

    total: Quantity
    estimate: Range | None = None
    estimate_time: Range | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Cache:
    """In which state the author means to meet the provider's cache; what was read from it is measured, and set beside this."""

    intended: Literal["warm", "cold", "unknown"]
    statement: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Repairs:
    """While a result does not pass, the agent is told the text of the file ``say``, at most so often, within the same trial."""

    at_most: int
    say: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Trials:
    """How many seeds a (task, arm) has, in which order trials run, in which state of the cache, and what they may cost."""

    seeds: int
    order: Choice
    concurrency: int = 1
    budget: Budget | None = None
    cache: Cache | None = None
    repairs: Repairs | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Collect:
    """A trial fact that the harness reads after the agent stopped, from a JSON file in the workspace, by key path.

    With ``lines`` the file holds JSON lines: ``count`` counts those that ``where`` matches (key path → value), ``last`` reads
    the last of them.
    """

    file: str
    type: Literal["count", "bool", "text"]
    path: str | None = None
    lines: Literal["count", "last"] | None = None
    where: Mapping[str, str | int | bool] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class MissingRule:
    """When ``when`` holds, do exactly one of: retry, put values, exclude, keep as unknown. First match wins."""

    rule: str
    when: Expression
    retry: int | None = None
    value: Mapping[str, Expression] | None = None
    exclude: Literal["pair", "trial"] | None = None
    keep: Literal["unknown"] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Missing:
    """The missing-data rules, in order, and what any other gap means."""

    rules: tuple[MissingRule, ...] = ()
    otherwise: Literal["no-verdict"] = "no-verdict"


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    """Something measured and reported: per task and compared between arms, or computed per arm.

    ``over`` says what ``per_arm`` adds up: the trials, or every attempt at them, lost ones too. None is trials.
    """

    role: Role
    measure: str | None = None
    where: tuple[Expression, ...] = ()
    per_task: PerTask | None = None
    k: int | None = None
    compare: Expression | None = None
    statistic: Literal["mean", "median"] | None = None
    test: Choice | None = None
    interval: Choice | None = None
    by: tuple[str, ...] = ()
    show: Literal["each-task"] | None = None
    per_arm: Expression | None = None
    over: Literal["trials", "attempts"] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Wording:
    """The sentence published for each verdict, fixed beforehand."""

    supported: str
    not_supported: str
    no_verdict: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Family:
    """Endpoints whose p-values are adjusted together; under ``fixed-sequence`` they are tested in the order written."""

    members: tuple[str, ...]
    correction: Literal["holm", "fixed-sequence"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """The claim, and the conditions that must all hold for it."""

    claim: str
    supported_when: tuple[Expression, ...]
    wording: Wording
    decidable_when: tuple[Expression, ...] = ()
    tasks: tuple[str, ...] = ()
    family: Family | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class NextRun:
    """How this run's spread sizes the next one."""

    formula: Literal["wilcoxon-are"]
    effect: Quantity
    endpoint: str
    alpha: Decimal
    power: Decimal


@dataclass(frozen=True, kw_only=True, slots=True)
class SampleSize:
    """Why this many tasks.

    ``simulation`` is a file that ``prereg simulate`` wrote for this design. ``power`` is claimed of the world that its author
    assumes, ``false_positive`` of every world in which the claim is false; what is claimed must stand in it.
    """

    rationale: Literal["power", "budget", "all-available", "pilot"]
    statement: str | None = None
    floor: Quantity | None = None
    next: NextRun | None = None
    simulation: str | None = None
    power: Decimal | None = None
    false_positive: Decimal | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Routes:
    """By which one route cost and time are measured in every arm; ``prices`` is a file with prices of tokens.

    ``agent-result``: what the agent's own result says. ``provider-usage``: what the provider's answers say they used, read by the
    harness. ``price-table``: the tokens that the agent reports, at the prices. Time is the harness's bracket around every agent.
    """

    cost: Literal["agent-result", "provider-usage", "price-table"]
    time: Literal["harness-bracket"] = "harness-bracket"
    prices: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Spec:
    """A whole pre-registration, as its author wrote it."""

    prereg: Literal[1]
    id: str
    stage: Stage
    question: str
    foreknowledge: Foreknowledge
    tasks: Mapping[str, TaskSet]
    agent: Agent
    arms: Mapping[str, Arm]
    trials: Trials
    endpoints: Mapping[str, Endpoint]
    decision: Decision
    sample_size: SampleSize
    threats: tuple[str, ...]
    does_not_show: str
    across: Mapping[str, Mapping[str, Settings]] = field(default_factory=dict)
    """One factor whose levels every arm runs at: factor → level → what the level changes about the agent."""
    single_difference: str | None = None
    sandbox: Choice | None = None
    collect: Mapping[str, Collect] = field(default_factory=dict)
    measures: Mapping[str, Expression] = field(default_factory=dict)
    missing: Missing = field(default_factory=Missing)
    overhead: str | None = None
    routes: Routes | None = None
    unscored: Mapping[str, str] = field(default_factory=dict)
    """Dimensions that no oracle decides, each with why; the report lists them, and no endpoint may name one."""
