"""The ports of the executor: what sources, sandboxes, agents, providers, graders and schedulers must be able to do, and their nouns."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import ClassVar, Literal, Protocol

from compiler.plan import AgentPlan, ArmPlan, Chosen, LimitsPlan
from compiler.steps import CancelPlan
from compiler.task import Reason, TestPlan
from executor.treatments import McpServer
from executor.turns import Turn
from executor.withheld import Withheld
from ledger.plain import Plain
from ledger.records import Ended

Network = Literal["none", "model", "open"]


# --- sandboxes ---


@dataclass(frozen=True, kw_only=True, slots=True)
class Mount:
    """A folder or file of the host shown inside. A relative ``inside`` is a folder of the workspace, with links to its entries."""

    host: Path
    inside: str
    writable: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """A foreign program to run to its end. ``workspace`` and ``home`` are host folders, writable inside; ``argv`` never meets a shell.

    The environment inside is ``env`` and nothing else (plus HOME, TMPDIR, PATH set by the sandbox unless given).
    stdin is closed unless ``stdin`` is given. Output goes to the two files, cut at ``limits.output_bytes``.
    """

    argv: tuple[str, ...]
    workspace: Path
    home: Path
    limits: LimitsPlan
    stdout: Path
    stderr: Path
    env: Mapping[str, str] = field(default_factory=dict)
    path: tuple[str, ...] = ()  # folders put before the sandbox's own PATH; they are shown inside read-only
    mounts: tuple[Mount, ...] = ()
    network: Network = "none"
    stdin: bytes | None = None
    cancel: Callable[[], bool] | None = None  # asked often while it runs: once it says yes, the program is interrupted


@dataclass(frozen=True, kw_only=True, slots=True)
class JobEnd:
    """How a job ended. Everything it started is dead when this is returned.

    ``stopped_by`` names the limit that ended it (``time``, ``memory``, ``processes``, ``output``), or ``cancel``, or None.
    ``left_running`` counts processes that had to be killed after the program itself ended.
    """

    exit_code: int | None
    signal: int | None
    stopped_by: str | None
    seconds: Decimal
    left_running: int = 0


class Sandbox(Protocol):
    """Runs jobs apart from the host."""

    kind: ClassVar[str]

    def unavailable(self) -> str | None:
        """Say why it cannot work on this machine, or None when it can. Cheap and without effect."""
        ...

    def run(self, job: Job) -> JobEnd:
        """Run a job to its end within its limits. Raises WorldFault when it could not be started."""
        ...

    def inside(self, job: Job, host: Path) -> str:
        """Give the path under which a host path of this job is seen inside."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Workspace:
    """A trial's own copy of a starting tree, with one commit ``start``; ``copied`` says why it is no overlay mount, or None."""

    root: Path
    git_dir: Path  # the harness's own, outside of ``root``
    start: str
    copied: str | None = None


# --- agents ---


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentOrder:
    """What an agent is told; ``attempt`` counts no lost ones. ``reference`` and ``answer``: only for kinds with ``needs_reference``."""

    trial: str
    task: str
    arm: str
    seed: int
    attempt: int
    agent: AgentPlan
    prompt: str
    workspace: Path
    home: Path
    artefacts: Path
    sandbox: Sandbox
    network: Network
    env: Mapping[str, str] = field(default_factory=dict)
    path: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    reference: bytes | None = None
    answer: str | None = None
    mounts: tuple[Mount, ...] = ()  # what the task's environment needs inside
    base: Path | None = None  # the experiment's folder, where recordings lie
    mcp: tuple[McpServer, ...] = ()  # the servers it is to have, and no others
    settings: Mapping[str, Plain] = field(default_factory=dict)  # laid over its own settings, key by key
    model_url: str | None = None  # where the harness's proxy is, as seen inside; None: no proxy
    cancel: CancelPlan | None = None  # of the prompt; see ``executor.turns``, here as below
    refuse: str | None = None
    turns: tuple[Turn, ...] = ()  # what it is told next, each once it has answered; who reads no prompt leaves them
    then: "Callable[[AgentEnd], Turn | None] | None" = None  # asked when it has answered them all: is there one more?


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentEvent:
    """One normalised event of an agent's stream, in order; ``harness``: what the harness did then (``executor.turns``)."""

    kind: Literal["session", "message", "tool_call", "tool_result", "usage", "result", "harness", "other"]
    data: Mapping[str, Plain] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentEnd:
    """What came of an agent.

    ``measures`` hold facts of the catalogue (cost, turns, …) as int, Decimal, bool or None;
    every None has a sentence in ``reasons``. ``session`` is what its own init event said (model, version, MCP servers, tools).
    ``failed`` is set when the world, not the agent, is at fault: (step, sentence).
    """

    ended: Ended
    result_event: bool
    terminal_reason: str | None
    answer: str | None
    measures: Mapping[str, int | Decimal | bool | None]
    reasons: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    session: Mapping[str, Plain] = field(default_factory=dict)
    events: tuple[AgentEvent, ...] = ()
    artefacts: Mapping[str, Path] = field(default_factory=dict)
    failed: tuple[str, str] | None = None


class Agent(Protocol):
    """Works on a task in a workspace."""

    kind: ClassVar[str]
    simulated: ClassVar[bool]  # True for agents that can never be evidence (simulated, scripted)
    needs_reference: ClassVar[bool]
    measures: ClassVar[frozenset[str]]  # names of the trial facts that this kind can report

    def versions(self, agent: AgentPlan, sandbox: Sandbox) -> Mapping[str, str]:
        """Ask the binary for its version (and digest); raises WorldFault when it is not there."""
        ...

    def run(self, order: AgentOrder) -> AgentEnd:
        """Work until finished or stopped. Raises WorldFault only when it could not be started."""
        ...

    def command(self, agent: AgentPlan, flags: tuple[str, ...]) -> tuple[str, ...]:
        """Give the command line that ``run`` will use, with ``{prompt}`` and ``{model}`` in place; pure."""
        ...


# --- providers ---


@dataclass(frozen=True, kw_only=True, slots=True)
class ProviderOrder:
    """Where a provider may act: only the agent's configuration (``home``) and the files it declares in ``workspace``."""

    arm: ArmPlan
    workspace: Path
    home: Path
    cache: Path
    sandbox: Sandbox
    inputs: Mapping[str, bytes]
    path: tuple[str, ...] = ()
    mounts: tuple[Mount, ...] = ()  # the task's environment, as an agent sees it
    fixture: bytes | None = None  # the task's shared context, where it has one


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """What a provider did: environment and PATH folders for the agent, workspace files it declares, versions."""

    env: Mapping[str, str] = field(default_factory=dict)
    path: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    mcp: tuple[McpServer, ...] = ()  # these two are for the agent, which alone knows how its configuration is written
    settings: Mapping[str, Plain] = field(default_factory=dict)


class Provider(Protocol):
    """Adds one arm's treatment before the agent starts. What it may say beside: ``executor.treatments``."""

    kind: ClassVar[str]

    def declares(self, options: Mapping[str, Plain]) -> tuple[str, ...]:
        """Name the workspace paths (globs) it may touch; pure."""
        ...

    def prepare(self, order: ProviderOrder) -> Prepared:
        """Act. Raises WorldFault when the world fails."""
        ...


# --- graders ---


@dataclass(frozen=True, kw_only=True, slots=True)
class GradeOrder:
    """What a grader sees: a fresh tree (start + change + held-out files), never the agent's own folder.

    ``pristine``: the starting tree; ``changed``: paths the agent changed; ``path``: folders before PATH; ``scratch``: of this tree alone.
    """

    check: Chosen
    root: Path
    pristine: Path
    changed: tuple[str, ...]
    answer: str | None
    events: tuple[AgentEvent, ...]
    tests: TestPlan | None
    scratch: Path
    sandbox: Sandbox
    path: tuple[str, ...] = ()
    mounts: tuple[Mount, ...] = ()
    earlier: Mapping[str, bool | None] = field(default_factory=dict)  # checks judged before: whether they hold


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckResult:
    """What a check found: ``ok`` (None: could not be told) and facts of its kind (``passed``, ``failed``, ``count``, …)."""

    ok: bool | None
    facts: Mapping[str, Plain] = field(default_factory=dict)
    detail: str = ""
    artefacts: Mapping[str, Path] = field(default_factory=dict)


class Grader(Protocol):
    """Judges one check."""

    kind: ClassVar[str]

    def grade(self, order: GradeOrder) -> CheckResult:
        """Judge. Raises WorldFault when the world, not the change, is at fault."""
        ...


# --- sources ---


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A candidate as a source lists it: facts from metadata only, nothing built or run yet."""

    id: str
    facts: Mapping[str, Plain]
    gold_files: tuple[str, ...] = ()
    category: str | None = None
    requires: tuple[str, ...] = ()
    dropped: Reason | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Built:
    """A candidate's trees as bytes, its test files or own ``checks``, its reference ``answer``, and lines that prepare ``given``."""

    given: bytes
    held_out: bytes
    reference: bytes
    tests: TestPlan
    gold_symbols: tuple[str, ...] = ()
    facts: Mapping[str, Plain] = field(default_factory=dict)
    checks: Mapping[str, Chosen] = field(default_factory=dict)
    answer: str | None = None
    setup: tuple[str, ...] = ()
    declared: tuple[str, ...] | None = None  # the tests that fail at the start, no others; the reference leaves none
    withheld: Withheld | None = None


class Source(Protocol):
    """Lists candidates and builds their material."""

    kind: ClassVar[str]

    def origin(self, options: Mapping[str, Plain], base: Path) -> str:
        """Say what is read, without a machine's path (``neuralmind@<sha>``). Raises WorldFault or SpecErrors-like Faults."""
        ...

    def find(self, options: Mapping[str, Plain], base: Path) -> Iterator[Found]:
        """List every candidate, in a stated order, with the facts that metadata alone gives."""
        ...

    def build(self, options: Mapping[str, Plain], base: Path, found: Found) -> Built | Reason:
        """Build one candidate's trees, or say why it cannot be."""
        ...


class Scheduler(Protocol):
    """Gives the standard executor on which trials run; no engine of our own."""

    kind: ClassVar[str]

    def executor(self, workers: int) -> Executor:
        """Open an executor; the caller closes it."""
        ...


# --- what is injected ---


class Rules(Protocol):
    """Injected into a run by the face: the registered conditions that must hold inside a trial, as pure predicates over plain facts."""

    def verdict(self, oracle: str, facts: Mapping[str, Plain]) -> Literal["pass", "partial", "fail"]:
        """Judge the checks of one trial; an unknown condition does not hold."""
        ...

    def retry(self, facts: Mapping[str, Plain]) -> tuple[str, int] | None:
        """Give (rule, how many retries) when the first matching rule asks for a retry, else None."""
        ...
