"""A small world for tests of runs: real trees, blobs and patches, a trivial grader, rules without a language, and a kit."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, Literal

from compiler.plan import AgentPlan, ArmPlan, AttemptRule, Chosen, LimitsPlan, OraclePlan, RunPlan, TaskPlan, TrialPlan
from compiler.task import TestPlan
from executor.agents.jobs import run_job
from executor.agents.scripted import NoopAgent, ReferenceAgent
from executor.agents.simulated import SimulatedAgent
from executor.kit import Kit
from executor.ports import Agent, AgentEnd, AgentOrder, CheckResult, GradeOrder, Provider, Sandbox
from executor.progress import Progress
from executor.providers.files import FilesProvider
from executor.providers.none import NoProvider
from executor.providers.setup import SetupProvider
from executor.run import execute
from executor.sandboxes.local import LocalSandbox
from executor.schedulers.local import LocalScheduler
from executor.trees import Leaf, pack
from executor.turns import EVERY_STEP, Steps
from ledger.blobs import Blobs
from ledger.canonical import canonical
from ledger.codec import to_plain
from ledger.plain import Plain
from ledger.store import Ledger

GENESIS = "sha256:" + "0" * 64
LIMITS = LimitsPlan(time_s=Decimal(30), cost_usd=Decimal(2), turns=60)
GIVEN = (
    Leaf(path="tool.py", data=b"def answer():\n    return 41\n\n\ndef other():\n    return 'untouched by the fix'\n"),
    Leaf(path="tests/test_tool.py", data=b"# the parent's tests\n"),
)
REFERENCE = b"""diff --git a/tool.py b/tool.py
--- a/tool.py
+++ b/tool.py
@@ -1,5 +1,5 @@
 def answer():
-    return 41
+    return 42  # the answer to everything, as the issue says


 def other():
"""
HELD_OUT = (Leaf(path="tests/test_tool.py", data=b"assert answer() == 42\n"),)
TESTS = TestPlan(
    run=("true",),
    report="unittest",
    files=("tests/test_tool.py",),
    fail_to_pass=("t",),
    pass_to_pass=(),
    restore=("tests/test_tool.py",),
    protect=("tests/**", "**/conftest.py", "**/pyproject.toml"),
)


class TextGrader:
    """Passes when ``tool.py`` gives 42 and the held-out tests lie over whatever the agent made of them."""

    kind: ClassVar[str] = "text"

    def grade(self, order: GradeOrder) -> CheckResult:
        held_out = (order.root / "tests/test_tool.py").read_bytes() == HELD_OUT[0].data
        tool = order.root / "tool.py"
        return CheckResult(ok=held_out and tool.is_file() and b"42" in tool.read_bytes(), facts={"count": 1})


@dataclass(frozen=True, kw_only=True)
class PlainRules:
    """Passes when the check passes; asks for retries by (rule, predicate, retries)."""

    asked: tuple[tuple[str, Callable[[Mapping[str, Plain]], bool], int], ...] = ()

    def verdict(self, oracle: str, facts: Mapping[str, Plain]) -> Literal["pass", "partial", "fail"]:
        return "pass" if facts["fixed.ok"] is True else "fail"

    def retry(self, facts: Mapping[str, Plain]) -> tuple[str, int] | None:
        return next(((name, retries) for name, holds, retries in self.asked if holds(facts)), None)


HARNESS = ("harness_failure", lambda facts: not facts["result_event"] or facts["terminal_reason"] == "api_error", 5)


@dataclass(kw_only=True)
class AnyAgent:
    """An agent that does what a test says. ``act`` gets the order and may give measures or a whole end."""

    act: Callable[[AgentOrder], Any] | None = None
    said: Mapping[str, str] = field(default_factory=lambda: {"agent": "1"})
    kind: ClassVar[str] = "any"
    simulated: ClassVar[bool] = False
    steps: ClassVar[Steps] = EVERY_STEP
    needs_reference: ClassVar[bool] = False
    measures: ClassVar[frozenset[str]] = frozenset({"cost"})

    def versions(self, agent: AgentPlan, sandbox: Sandbox) -> Mapping[str, str]:
        return self.said

    def command(self, agent: AgentPlan, flags: tuple[str, ...]) -> tuple[str, ...]:
        return ("any", *flags)

    def run(self, order: AgentOrder) -> AgentEnd:
        given = self.act(order) if self.act is not None else None
        if isinstance(given, AgentEnd):
            return given
        return finished(**(given or {}))


class Sleeping(AnyAgent):
    """Works for ever; says so in the world's folder."""

    def run(self, order: AgentOrder) -> AgentEnd:
        (order.artefacts.parents[2] / "up").touch()
        run_job(order, ("sleep", "60"), name="agent")
        return finished()


def finished(**changes: Any) -> AgentEnd:
    end = AgentEnd(
        ended="finished",
        result_event=True,
        terminal_reason="completed",
        answer="done",
        measures={"cost": Decimal("0.25")},
    )
    return replace(end, **changes)


@dataclass(kw_only=True)
class World:
    """Folders, blobs and a plan. ``run`` executes it once and gives what came of it."""

    root: Path
    plan: RunPlan
    kit: Kit
    rules: PlainRules = field(default_factory=lambda: PlainRules(asked=(HARNESS,)))
    seen: list[Progress] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def ledger(self) -> Iterator[Ledger]:
        with Ledger.open(self.root / "run", GENESIS, lambda: "2026-01-01T00:00:00Z") as ledger:
            yield ledger

    def run(self, **changes: Any) -> Progress:
        with self.ledger() as ledger:
            return execute(
                changes.get("plan", self.plan),
                ledger=ledger,
                pool=Blobs(self.root / "pool"),
                inputs=Blobs(self.root / "inputs"),
                artefacts=Blobs(self.root / "blobs"),
                kit=self.kit,
                rules=self.rules,
                scratch=self.root / "scratch",
                report=self.seen.append,
                stop=self.stop,
            )

    def records(self, kind: type) -> list[Any]:
        with self.ledger() as ledger:
            return [line.record for line in ledger.lines if isinstance(line.record, kind)]

    def blob(self, digest: str) -> bytes:
        return Blobs(self.root / "blobs").get(digest)


def world(
    root: Path,
    *,
    agent: Agent | None = None,
    tasks: int = 1,
    seeds: int = 1,
    arms: tuple[ArmPlan, ...] | None = None,
    providers: tuple[Provider, ...] = (),
    rules: tuple[AttemptRule, ...] = (AttemptRule(rule="harness_failure", when="", retry=5),),
    sandbox: Sandbox | None = None,
    given: tuple[Leaf, ...] = GIVEN,
    tests: TestPlan | None = TESTS,
    **plan: Any,
) -> World:
    """Build a world with the tasks ``t1`` … and the arms ``base`` and ``more``."""
    agent = AnyAgent() if agent is None else agent
    pool, inputs = Blobs(root / "pool"), Blobs(root / "inputs")
    drawn = tuple(
        TaskPlan(
            id=f"t{n}",
            set="small",
            oracle="small",
            given=pool.put(pack((*given, Leaf(path="number.txt", data=str(n).encode())))),
            held_out=pool.put(pack(HELD_OUT)),
            prompt=inputs.put(f"Please mend the tool, number {n}.".encode()),
            tests=None if tests is None else pool.put(canonical(to_plain(tests))),
            reference=pool.put(REFERENCE),
            gold_files=("tool.py",),
        )
        for n in range(1, tasks + 1)
    )
    made = arms or (arm("base", agent.kind), arm("more", agent.kind))
    settings: dict[str, Any] = {
        "experiment": "small",
        "stage": "pilot",
        "simulated": agent.simulated,
        "arms": made,
        "tasks": drawn,
        "oracles": {"small": OraclePlan(checks={"fixed": Chosen(kind="text")}, passes=("fixed.ok",))},
        "trials": tuple(
            TrialPlan(task=t.id, arm=a.name, seed=s) for s in range(1, seeds + 1) for t in drawn for a in made
        ),
        "rules": rules,
        "measures": {},
        "collect": {},
        "sandbox": None,
        "concurrency": 2,
        "budget_usd": None,
    }
    agents: list[Agent] = [agent, ReferenceAgent(), NoopAgent(), SimulatedAgent()]
    chosen = sandbox or LocalSandbox()
    kit = Kit(
        agents={each.kind: each for each in reversed(agents)},
        providers={each.kind: each for each in (NoProvider(), FilesProvider(), SetupProvider(), *providers)},
        sandboxes={chosen.kind: chosen},
        graders={"text": TextGrader()},
        schedulers={"local": LocalScheduler()},
    )
    return World(root=root, plan=RunPlan(**{**settings, **plan}), kit=kit)


def arm(name: str, kind: str, **changes: Any) -> ArmPlan:
    agent = AgentPlan(
        kind=kind,
        version=changes.pop("version", None),
        model=changes.pop("model", None),
        limits=changes.pop("limits", LIMITS),
        options=changes.pop("options", {}),
    )
    return ArmPlan(name=name, agent=agent, **{"provider": Chosen(kind="none"), **changes})


def mend(order: AgentOrder) -> None:
    """Solve the task."""
    tool = order.workspace / "tool.py"
    tool.write_text(tool.read_text().replace("41", "42"))


def left_behind(root: Path) -> list[str]:
    """What a run left of its scratch: folders of trials and mounts."""
    mounts = [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if str(root) in line]
    scratch = root / "scratch"
    folders = [each.name for each in scratch.iterdir() if each.name != "cache"] if scratch.is_dir() else []
    return [*mounts, *folders]


def wait_until(holds: Callable[[], bool], seconds: float = 20) -> None:
    """Wait until something holds, or fail."""
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "it never came to hold"
        time.sleep(0.01)
