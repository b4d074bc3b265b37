"""Milliseconds that a trial costs outside the agent and the tests, beside what mounting, bubblewrap and ``true`` cost alone.

Run it from the repository: ``python benchmarks/overhead.py [TRIALS]``. The task has 900 files, as a middling repository; the agent and the
grader do nothing, so all that is measured is the harness: claim, workspace, provider, capture, fresh tree, blobs, outcome.
The limit is two overlay mounts with two ``bwrap … true``, which no harness with these promises can go below.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

sys.path.insert(0, str(Path(__file__).parents[1]))

from compiler.plan import AgentPlan, ArmPlan, Chosen, LimitsPlan, OraclePlan, RunPlan, TaskPlan, TrialPlan
from executor.kit import Kit
from executor.ports import AgentEnd, AgentOrder, CheckResult, GradeOrder, Job
from executor.providers.none import NoProvider
from executor.run import execute
from executor.sandboxes.bubblewrap import BubblewrapSandbox
from executor.schedulers.local import LocalScheduler
from executor.scratch import mount_overlay, unmount
from executor.trees import Leaf, pack
from ledger.blobs import Blobs
from ledger.store import Ledger

FILES = 900
LIMITS = LimitsPlan(time_s=Decimal(60))


class TrueAgent:
    """Runs ``true`` in the sandbox and edits one file."""

    kind: ClassVar[str] = "true"
    simulated: ClassVar[bool] = True
    needs_reference: ClassVar[bool] = False
    measures: ClassVar[frozenset[str]] = frozenset({"cost"})

    def versions(self, *_: Any) -> Mapping[str, str]:
        """Give a version."""
        return {"agent": "1"}

    def command(self, *_: Any) -> tuple[str, ...]:
        """Give the command line."""
        return ("true",)

    def run(self, order: AgentOrder) -> AgentEnd:
        """Do next to nothing."""
        run_true(order.sandbox, order.workspace, order.home, order.artefacts)
        (order.workspace / "src/f1.py").write_text("changed = True\n")
        return AgentEnd(
            ended="finished", result_event=True, terminal_reason="completed", answer=None, measures={"cost": Decimal(0)}
        )


class TrueGrader:
    """Runs ``true`` in the sandbox over the fresh tree."""

    kind: ClassVar[str] = "true"

    def grade(self, order: GradeOrder) -> CheckResult:
        """Judge nothing."""
        home = order.scratch / "home"
        home.mkdir()
        run_true(order.sandbox, order.root, home, order.scratch)
        return CheckResult(ok=True)


def run_true(sandbox: Any, workspace: Path, home: Path, logs: Path) -> None:
    sandbox.run(
        Job(argv=("true",), workspace=workspace, home=home, limits=LIMITS, stdout=logs / "out", stderr=logs / "err")
    )


def harness(root: Path, trials: int) -> float:
    """Give milliseconds a trial of a run, one after the other, start-up left out by a difference of two runs."""
    few, many = (timed(lambda n=n: run(root / str(n), n)) for n in (2, 2 + trials))
    return (many - few) / trials


def run(root: Path, trials: int) -> None:
    pool, inputs = Blobs(root / "pool"), Blobs(root / "inputs")
    tree = [Leaf(path=f"src/f{n}.py", data=b"x = 1\n" * 200 + str(n).encode()) for n in range(FILES)]
    task = TaskPlan(
        id="t", set="s", oracle="s", given=pool.put(pack(tree)), held_out=pool.put(pack([])), prompt=inputs.put(b"p")
    )
    arm = ArmPlan(
        name="a", agent=AgentPlan(kind="true", version=None, model=None, limits=LIMITS), provider=Chosen(kind="none")
    )
    plan = RunPlan(
        experiment="overhead",
        stage="pilot",
        simulated=True,
        arms=(arm,),
        tasks=(task,),
        oracles={"s": OraclePlan(checks={"done": Chosen(kind="true")}, passes=("done.ok",))},
        trials=tuple(TrialPlan(task="t", arm="a", seed=n) for n in range(1, trials + 1)),
        rules=(),
        measures={},
        collect={},
        sandbox=None,
        concurrency=1,
        budget_usd=None,
    )
    sandbox = BubblewrapSandbox()
    kit = Kit(
        agents={"true": TrueAgent()},
        providers={"none": NoProvider()},
        sandboxes={"bubblewrap": sandbox},
        graders={"true": TrueGrader()},
        schedulers={"local": LocalScheduler()},
    )
    with Ledger.open(root / "run", "sha256:" + "0" * 64, lambda: "2026-01-01T00:00:00Z") as ledger:
        execute(
            plan,
            ledger=ledger,
            pool=pool,
            inputs=inputs,
            artefacts=Blobs(root / "blobs"),
            kit=kit,
            rules=AlwaysPass(),
            scratch=root / "scratch",
            report=lambda _: None,
            stop=threading.Event(),
        )


class AlwaysPass:
    """Rules of a run in which nothing is judged."""

    def verdict(self, *_: Any) -> Any:
        """Pass."""
        return "pass"

    def retry(self, _: Any) -> None:
        """Never ask for a retry."""


def limit(root: Path, times: int) -> float:
    """Give milliseconds of two overlay mounts and two ``bwrap … true``."""
    bare = [
        "bwrap",
        "--unshare-user",
        "--uid",
        "1000",
        "--gid",
        "1000",
        "--unshare-pid",
        "--unshare-net",
        "--unshare-ipc",
    ]
    bare += ["--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib"]
    bare += ["--symlink", "usr/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev"]
    (root / "lower").mkdir(parents=True)
    taken = []
    for n in range(times):
        places = [root / f"{n}-{name}" for name in ("upper", "work", "tree")]

        def once(places: list[Path] = places) -> None:
            for place in places:
                place.mkdir()
            mount_overlay(root / "lower", *places)
            subprocess.run([*bare, "--bind", str(places[2]), "/workspace", "true"], check=True)
            unmount(places[2])

        taken.append(timed(once))
    return 2 * statistics.median(taken)


def timed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1000


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    missing = BubblewrapSandbox().unavailable()
    if missing is not None:
        sys.exit(f"overhead: {missing}")
    with tempfile.TemporaryDirectory(prefix="prereg-overhead-") as folder:
        ours, least = harness(Path(folder, "run"), trials), limit(Path(folder, "limit"), trials)
    found = {"ms_per_trial": round(ours, 1), "ms_limit": round(least, 1), "ratio": round(ours / least, 2)}
    print(json.dumps({"benchmark": "overhead", "trials": trials, "files": FILES, **found}))


if __name__ == "__main__":
    main()
