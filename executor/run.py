"""Carries out a run: claims a trial, hands it to a worker, remembers what came of it; stops and resumes without losing count."""

import hashlib
import platform
import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from compiler.plan import RunPlan, TrialPlan
from executor.attempt import Observed, TrialOrder
from executor.budget import affordable, arm_limits, exhausted
from executor.concealing import conceal
from executor.evidence import hold_against_partners
from executor.history import LOST, WORLD, History
from executor.kit import Kit
from executor.ordering import Orders
from executor.own_words import in_own_words
from executor.ports import Rules
from executor.progress import Progress, counted
from executor.scratch import sweep
from executor.settle import deviated, deviation_of, settle
from executor.trial import carry_out
from executor.versions import mixed
from ledger.blobs import Blobs
from ledger.errors import Fault, WorldFault
from ledger.records import Checkpoint, Claimed, Closed, Infrastructure, InvalidEnvironment, Record
from ledger.store import Ledger

PATIENCE = 3
"""So many failures of the world in a row stop a run: the next attempts would fail as well, and cost."""
_WORKER_LOST = "worker-lost"
_GLANCE = 0.2
"""Seconds between looks at the stop event while trials run."""


def execute(
    plan: RunPlan,
    *,
    ledger: Ledger,
    pool: Blobs,
    inputs: Blobs,
    artefacts: Blobs,
    kit: Kit,
    rules: Rules,
    scratch: Path,
    report: Callable[[Progress], None],
    stop: threading.Event,
) -> Progress:
    """Carry out what is left of a run; the same call resumes it. Only this thread writes the ledger.

    ``rules`` are the registered conditions: verdicts and retries. When ``stop`` is set nothing new is started, what runs is seen to
    its end, and the run can be resumed. The progress that is returned says whether the run is closed, or what stopped it.

    Raises:
        WorldFault: The budget does not reach further (``budget``), the same fault of the world came three times in a row (its own code),
            the programs are not those of the earlier attempts (``versions-mixed``), or disk or ledger fail.
        IntegrityFault: A blob was altered, or the ledger holds what the plan does not.
    """
    sweep(scratch)
    history = History.read(plan, ledger.lines)
    if history.closed:
        return counted(plan, history)
    orders = Orders(plan=plan, pool=pool, inputs=inputs, artefacts=artefacts, kit=kit, scratch=scratch, rules=rules)
    run = _Run(plan=plan, ledger=ledger, orders=orders, rules=rules, history=history, report=report, stop=stop)
    run.recover()
    orders.make_ready()
    orders.refuse_mixed_versions({arm.name: history.programs(arm.name) for arm in plan.arms})
    run.work(kit)
    return run.finish()


@dataclass(kw_only=True, slots=True)
class _Run:
    """A run under way in this process."""

    plan: RunPlan
    ledger: Ledger
    orders: Orders
    rules: Rules
    history: History
    report: Callable[[Progress], None]
    stop: threading.Event
    limits: Mapping[str, Decimal] = field(init=False)
    in_row: int = 0
    stopped_by: WorldFault | None = None
    noted: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.limits = arm_limits(self.plan)

    def recover(self) -> None:
        """Remember claims of an earlier executor that came to nothing."""
        for trial, attempt in list(self.history.open):
            detail = "the executor that claimed this attempt ended before it came to anything"
            reasons = {"cost": "the executor was lost"}
            self._remember(
                Infrastructure(
                    trial=trial,
                    attempt=attempt,
                    rule=LOST,
                    step="executor",
                    detail=detail,
                    measures={"cost": None},
                    reasons=reasons,
                )
            )

    def work(self, kit: Kit) -> None:
        """Start trials while there are any and nothing stops the run; see every started one to its end."""
        waiting = deque(self.history.waiting(self.plan))
        workers = kit.workers or self.plan.concurrency
        running: dict[Future[Observed], TrialOrder] = {}
        with kit.schedulers[kit.scheduler].executor(workers) as executor:
            while True:
                while waiting and len(running) < workers and self._may_start(waiting[0], alone=not running):
                    order = self._claim(waiting.popleft())
                    running[_submit(executor, order)] = order
                    self.report(counted(self.plan, self.history))
                if not running:
                    return
                done, _ = wait(running, timeout=_GLANCE, return_when=FIRST_COMPLETED)
                for future in done:
                    order = running.pop(future)
                    self._settle(order, _result(future))
                    if not self.history.settled(order.trial.id):
                        waiting.appendleft(order.trial)  # at once, so that arms stay interleaved
                    self.report(counted(self.plan, self.history))

    def finish(self) -> Progress:
        """Write the last line of this executor: the close, or a checkpoint that says why there is none."""
        outcomes, attempts = len(self.history.outcomes), sum(self.history.attempts.values())
        if next(self.history.waiting(self.plan), None) is None:
            self._remember(Closed(outcomes=outcomes, attempts=attempts, gaps=dict(self.history.gaps)))
            return counted(self.plan, self.history)
        reason = self.stopped_by.reasons[0].what if self.stopped_by else "asked to stop"
        self._remember(Checkpoint(outcomes=outcomes, attempts=attempts, reason=reason))
        if self.stopped_by is not None:
            raise self.stopped_by
        return counted(self.plan, self.history, stopped_by=reason)

    def _may_start(self, trial: TrialPlan, *, alone: bool) -> bool:
        if self.stop.is_set() or self.stopped_by is not None:
            return False
        if affordable(self.plan, self.history, self.limits, trial.arm):
            return True
        if alone:  # otherwise a running trial may yet give back what it did not use
            self.stopped_by = exhausted(self.plan, self.history, self.limits, trial.arm)
        return False

    def _claim(self, trial: TrialPlan) -> TrialOrder:
        attempt = self.history.attempts[trial.id] + 1
        order = self.orders.order(trial, attempt, self.history.retried(trial.id))
        self._remember(
            Claimed(
                trial=trial.id,
                attempt=attempt,
                task=trial.task,
                arm=trial.arm,
                seed=trial.seed,
                machine=machine(),
            )
        )
        return order

    def _settle(self, order: TrialOrder, observed: Observed) -> None:
        observed = hold_against_partners(self.plan, order, observed, self.history.blobs, order.kept)
        observed = conceal(order, observed, self.plan)
        earlier = self.history.earlier(order.trial.id)
        settled = settle(order, observed, self.rules, earlier, simulated=self.plan.simulated, machine=machine())
        record = in_own_words(settled, order)
        for note in deviation_of(observed):
            if note.what not in self.noted:
                self.noted.add(note.what)
                self._remember(note)
        self._remember(record)
        self._judge_the_world(order, observed, record)

    def _judge_the_world(self, order: TrialOrder, observed: Observed, record: Record) -> None:
        """Stop when the world keeps failing, or when the programs changed under the run."""
        if isinstance(record, InvalidEnvironment) and "versions" in record.expected:
            self._remember(deviated(record, order.arm.name))
            self.stopped_by = mixed(order.arm.name, record.expected["versions"], record.got["versions"])
        failed = isinstance(record, Infrastructure) and record.rule in (WORLD, LOST)
        self.in_row = self.in_row + 1 if failed else 0
        gone = observed.code == _WORKER_LOST  # and with it, as a rule, the executor that it belonged to
        if (gone or self.in_row >= PATIENCE) and self.stopped_by is None:
            what = "a worker was lost"
            if not gone:
                what = f"{PATIENCE} attempts in a row failed before they came to anything, at the step {observed.step}"
            hint = "mend it and run again; the run resumes"
            self.stopped_by = WorldFault(Fault(code=observed.code, what=what, got=observed.detail, hint=hint))

    def _remember(self, record: Record) -> None:
        self.ledger.append(record)
        self.history.add(record)


def _submit(executor: Executor, order: TrialOrder) -> Future[Observed]:
    """Hand an order to a worker; when the workers are gone, that is what its future says."""
    try:
        return executor.submit(carry_out, order)
    except BrokenExecutor as problem:
        lost: Future[Observed] = Future()
        lost.set_exception(problem)
        return lost


def _result(future: Future[Observed]) -> Observed:
    """Give what a worker observed; a worker that was lost observed nothing."""
    try:
        return future.result()
    except (BrokenExecutor, CancelledError) as problem:
        detail = f"the worker was lost: {problem}" if str(problem) else "the worker was lost"
        return Observed(kind="failed", step="worker", code=_WORKER_LOST, detail=detail, measures={"cost": None})


def machine() -> str:
    """Name this machine without naming a host or a person: the same machine always has the same name."""
    seen = f"{platform.node()}\0{platform.machine()}"
    with suppress(OSError):  # containers have none
        seen += Path("/etc/machine-id").read_text("utf-8", "replace")
    return f"machine-{hashlib.sha256(seen.encode()).hexdigest()[:12]}"
