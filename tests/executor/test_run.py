"""Runs: every attempt on record, retries at once, gaps by name, the budget kept, versions not mixed, stopped and resumed."""

import multiprocessing
import os
import signal
import threading
import time
from collections import Counter
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import pytest

from compiler.plan import AttemptRule, LimitsPlan
from executor.agents.scripted import ReferenceAgent
from executor.history import History
from executor.ports import AgentOrder
from executor.progress import counted
from ledger.errors import Fault, IntegrityFault, WorldFault
from ledger.records import Checkpoint, Claimed, Closed, Infrastructure, InvalidEnvironment, Outcome
from tests.executor.worlds import HARNESS, AnyAgent, PlainRules, arm, finished, left_behind, mend, wait_until, world


def test_a_run_from_first_claim_to_close(tmp_path: Path) -> None:
    there = world(
        tmp_path, agent=AnyAgent(act=lambda order: mend(order) if order.arm == "more" else None), tasks=2, seeds=2
    )
    progress = there.run()
    assert (progress.closed, progress.planned, progress.outcomes, progress.gaps, progress.attempts) == (
        True,
        8,
        8,
        0,
        8,
    )
    assert (progress.running, progress.retried, progress.spent, progress.unknown_costs) == (0, 0, Decimal(2), 0)
    outcomes = there.records(Outcome)
    assert Counter((each.arm, each.verdict) for each in outcomes) == {("base", "fail"): 4, ("more", "pass"): 4}
    first = outcomes[0]
    assert first.trial == f"{first.task}/{first.arm}/{first.seed}"
    assert first.measures["cost"] == "0.25"
    assert first.measures["turns"] is None
    assert first.reasons["turns"]
    assert set(first.reasons) == {name for name, value in first.measures.items() if value is None}
    assert first.checks == {"fixed": {"ok": first.verdict == "pass", "count": 1}}
    assert first.versions["agent"] == "1"
    assert first.versions["sandbox"] == "local"
    assert first.blobs.keys() >= {"change", "answer"}
    assert first.machine.startswith("machine-")
    assert there.records(Closed) == [Closed(outcomes=8, attempts=8, gaps={})]
    claimed = [each.trial for each in there.records(Claimed)]
    assert claimed == [each.id for each in there.plan.trials]
    assert there.seen[-1].outcomes == 8
    assert left_behind(tmp_path) == []
    with there.ledger() as ledger:
        assert counted(there.plan, History.read(there.plan, ledger.lines)) == progress
        lines = len(ledger.lines)
    assert there.run() == progress
    with there.ledger() as ledger:
        assert len(ledger.lines) == lines


def test_a_lost_attempt_is_retried_at_once_and_counted(tmp_path: Path) -> None:
    def act(order: AgentOrder) -> Any:
        if order.trial == "t1/base/1" and order.attempt <= 2:
            return finished(terminal_reason="api_error", measures={"cost": Decimal("0.5")})
        return mend(order)

    there = world(tmp_path, agent=AnyAgent(act=act), tasks=3, concurrency=1)
    progress = there.run()
    assert (progress.outcomes, progress.attempts, progress.retried, progress.spent) == (6, 8, 2, Decimal("2.5"))
    assert [(each.trial, each.attempt) for each in there.records(Claimed)][:4] == [
        ("t1/base/1", 1),
        ("t1/base/1", 2),
        ("t1/base/1", 3),
        ("t1/more/1", 1),
    ]
    lost = there.records(Infrastructure)
    assert [(each.rule, each.attempt, each.ended, each.measures["cost"]) for each in lost] == [
        ("harness_failure", 1, "finished", "0.5"),
        ("harness_failure", 2, "finished", "0.5"),
    ]


def test_an_exhausted_rule_leaves_a_gap_by_its_name(tmp_path: Path) -> None:
    rules = (AttemptRule(rule="harness_failure", when="", retry=2),)

    def act(order: AgentOrder) -> Any:
        return finished(result_event=False, ended="no-result") if order.arm == "more" else None

    there = world(tmp_path, agent=AnyAgent(act=act), rules=rules)
    there.rules = PlainRules(asked=((*HARNESS[:2], 2),))
    progress = there.run()
    assert (progress.outcomes, progress.gaps, progress.attempts, progress.closed) == (1, 1, 4, True)
    assert there.records(Closed)[0].gaps == {"t1/more/1": "harness_failure"}


def test_an_invalid_environment_is_never_scored(tmp_path: Path) -> None:
    def act(order: AgentOrder) -> Any:
        leaked = order.arm == "base" and order.attempt == 1
        return {"session": {"mcp_servers": ["leaked"] if leaked else [], "model": "m"}}

    expecting = tuple(arm(name, "any", expect={"mcp_servers": []}, model="m") for name in ("base", "more"))
    rules = (AttemptRule(rule="impure", when="", retry=1),)
    there = world(tmp_path, agent=AnyAgent(act=act), arms=expecting, rules=rules)
    there.rules = PlainRules(asked=(("impure", lambda facts: facts["environment_ok"] is False, 1),))
    assert there.run().outcomes == 2
    (invalid,) = there.records(InvalidEnvironment)
    assert (invalid.rule, invalid.expected, invalid.got) == ("impure", {"mcp_servers": []}, {"mcp_servers": ["leaked"]})
    assert all(each.measures["environment_ok"] is True for each in there.records(Outcome))

    silent = world(tmp_path / "silent", agent=AnyAgent(), arms=expecting, rules=())
    silent.rules = PlainRules()
    progress = silent.run()
    assert (progress.outcomes, progress.gaps) == (0, 2)
    assert set(silent.records(Closed)[0].gaps.values()) == {"invalid_environment"}


def test_a_binary_that_goes_missing_is_on_record_and_stops_the_run_after_three(tmp_path: Path) -> None:
    asked: list[str] = []

    class Absent(AnyAgent):
        def versions(self, agent: Any, sandbox: Any) -> Any:
            asked.append(agent.kind)
            if len(asked) <= len(there.plan.arms):  # it is there when the run begins
                return super().versions(agent, sandbox)
            raise WorldFault(Fault(code="program-missing", what="there is no program 'claude'"))

    there = world(tmp_path, agent=Absent(), tasks=5, concurrency=1)
    with pytest.raises(WorldFault) as raised:
        there.run()
    assert raised.value.reasons[0].code == "program-missing"
    assert "claude" in str(raised.value.reasons[0].got)
    lost = there.records(Infrastructure)
    assert [(each.rule, each.step, each.measures["cost"]) for each in lost] == [("world", "agent", "0")] * 3
    assert there.records(Closed) == []
    assert there.records(Checkpoint)[-1].attempts == 3
    there.kit = replace(there.kit, agents={"any": AnyAgent()})
    assert there.run().outcomes == 10


def test_a_missing_binary_is_told_before_anything_is_claimed(tmp_path: Path) -> None:
    class Absent(AnyAgent):
        def versions(self, agent: Any, sandbox: Any) -> Any:
            raise WorldFault(Fault(code="program-missing", what="there is no program 'claude'"))

    there = world(tmp_path, agent=Absent())
    with pytest.raises(WorldFault, match="there is no program 'claude'"):
        there.run()
    assert there.records(Claimed) == []


def test_a_world_that_recovers_does_not_stop_the_run(tmp_path: Path) -> None:
    asked: Counter[str] = Counter()

    def act(order: AgentOrder) -> Any:
        asked[order.trial] += 1
        assert order.attempt == 1  # no rule sent it back: what the world lost does not count
        if asked[order.trial] <= 2:
            raise WorldFault(Fault(code="hiccup", what="the socket went away"))

    there = world(tmp_path, agent=AnyAgent(act=act), tasks=3, concurrency=1)
    progress = there.run()
    assert (progress.outcomes, progress.attempts, progress.unknown_costs) == (6, 18, 12)  # it may have spent something


def test_the_budget_is_never_passed(tmp_path: Path) -> None:
    there = world(tmp_path, agent=AnyAgent(), tasks=6, budget_usd=Decimal(4), concurrency=3)
    with pytest.raises(WorldFault) as raised:
        there.run()
    # An attempt costs 0.25 and may cost 2: once 2.25 are gone, the next one does not fit.
    fault = raised.value.reasons[0]
    assert (fault.code, fault.expected) == ("budget", "at most 4 USD in all")
    assert fault.got == "2.25 USD spent, 0 USD held for attempts of unknown cost, 1.75 USD left"
    assert (len(there.records(Outcome)), len(there.records(Claimed))) == (9, 9)
    assert there.records(Checkpoint)[-1].outcomes == 9


def test_unknown_costs_reserve_their_limit(tmp_path: Path) -> None:
    there = world(tmp_path, agent=AnyAgent(act=lambda _: {"measures": {}}), tasks=6, budget_usd=Decimal(7))
    with pytest.raises(WorldFault) as raised:
        there.run()
    assert len(there.records(Outcome)) == 3
    assert raised.value.reasons[0].got == "0 USD spent, 6 USD held for attempts of unknown cost, 1 USD left"
    assert there.records(Checkpoint)[-1].outcomes == 3
    with pytest.raises(WorldFault):
        there.run()  # resuming changes nothing
    assert len(there.records(Claimed)) == 3


def test_a_budget_needs_limits(tmp_path: Path) -> None:
    free = arm("base", "any", limits=LimitsPlan(time_s=Decimal(1)))
    with pytest.raises(WorldFault, match="may cost anything"):
        world(tmp_path, arms=(free,), budget_usd=Decimal(7)).run()


def test_a_running_trial_holds_its_limit_and_gives_it_back(tmp_path: Path) -> None:
    most: list[int] = []
    under_way = Counter[str]()
    lock = threading.Lock()

    def act(order: AgentOrder) -> Any:
        with lock:
            under_way["now"] += 1
            most.append(under_way["now"])
        time.sleep(0.1)
        with lock:
            under_way["now"] -= 1

    there = world(tmp_path, agent=AnyAgent(act=act), tasks=2, budget_usd=Decimal("4.5"), concurrency=4)
    assert there.run().outcomes == 4
    assert max(most) == 2


def test_stopping_finishes_what_runs_and_resumes(tmp_path: Path) -> None:
    there = world(tmp_path, tasks=4, concurrency=2)

    def act(order: AgentOrder) -> Any:
        there.stop.set()
        time.sleep(0.2)
        return mend(order)

    there.kit = replace(there.kit, agents={"any": AnyAgent(act=act)})
    progress = there.run()
    assert (progress.closed, progress.stopped_by) == (False, "asked to stop")
    assert 1 <= progress.outcomes <= 2
    assert progress.running == 0
    assert there.records(Checkpoint)[-1].reason == "asked to stop"
    there.stop.clear()
    there.kit = replace(there.kit, agents={"any": AnyAgent(act=mend)})
    progress = there.run()
    assert (progress.closed, progress.outcomes, progress.attempts) == (True, 8, 8)


def test_versions_are_never_mixed(tmp_path: Path) -> None:
    there = world(tmp_path, agent=AnyAgent(act=lambda _: there.stop.set()), tasks=2, concurrency=1)
    there.run()
    there.stop.clear()
    there.kit = replace(there.kit, agents={"any": AnyAgent(said={"agent": "2"})})
    with pytest.raises(WorldFault) as raised:
        there.run()
    assert raised.value.reasons[0].code == "versions-mixed"
    assert "--run" in str(raised.value.reasons[0].hint)
    assert len(there.records(Claimed)) == 1
    # What only shows while running: an agent whose own stream tells another version.
    told = AnyAgent(act=lambda order: {"versions": {"agent": "3"}})
    there.kit = replace(there.kit, agents={"any": told})
    with pytest.raises(WorldFault) as raised:
        there.run()
    assert raised.value.reasons[0].code == "versions-mixed"
    assert there.records(InvalidEnvironment)[-1].got == {"versions": {"agent": "3"}}


def test_claims_of_a_lost_executor_are_on_record(tmp_path: Path) -> None:
    there = world(tmp_path)
    with there.ledger() as ledger:
        ledger.append(Claimed(trial="t1/more/1", attempt=1, task="t1", arm="more", seed=1, machine="m"))
        assert counted(there.plan, History.read(there.plan, ledger.lines)).running == 1
    progress = there.run()
    assert (progress.outcomes, progress.attempts, progress.unknown_costs) == (2, 3, 1)
    (lost,) = there.records(Infrastructure)
    assert (lost.trial, lost.attempt, lost.rule) == ("t1/more/1", 1, "lost")
    assert {each.attempt for each in there.records(Outcome)} == {1, 2}


def test_a_skipped_task_says_what_is_missing(tmp_path: Path) -> None:
    there = world(tmp_path)
    tasks = tuple(replace(each, requires=("no-such-tool-anywhere", "sh")) for each in there.plan.tasks)
    there.plan = replace(there.plan, tasks=tasks)
    assert there.run().outcomes == 2
    outcome = there.records(Outcome)[0]
    assert (outcome.verdict, outcome.ended, outcome.measures["cost"]) == ("skipped", "skipped", "0")
    assert "no-such-tool-anywhere" in outcome.reasons["turns"]


def test_a_foreign_or_doubled_ledger_is_refused(tmp_path: Path) -> None:
    there = world(tmp_path)
    with there.ledger() as ledger:
        ledger.append(Claimed(trial="t9/more/1", attempt=1, task="t9", arm="more", seed=1, machine="m"))
    with pytest.raises(IntegrityFault):
        there.run()
    history = History.read(there.plan, ())
    outcome = Outcome(
        trial="t1/base/1", attempt=1, task="t1", arm="base", seed=1, verdict="pass", ended="finished", measures={}
    )
    history.add(outcome)
    with pytest.raises(IntegrityFault):
        history.add(replace(outcome, attempt=2))


def test_a_missing_plugin_is_told_before_anything_is_claimed(tmp_path: Path) -> None:
    there = world(tmp_path)
    there.kit = replace(there.kit, graders={})
    with pytest.raises(WorldFault, match="no grader of kind 'text'"):
        there.run()
    assert there.records(Claimed) == []


def test_a_blob_that_was_altered_stops_everything(tmp_path: Path) -> None:
    there = world(tmp_path)
    given = tmp_path / "pool" / there.plan.tasks[0].given.removeprefix("sha256:")
    given.chmod(0o600)
    given.write_bytes(given.read_bytes() + b"\0")
    with pytest.raises(IntegrityFault):
        there.run()
    assert left_behind(tmp_path) == []


def test_trials_run_side_by_side(tmp_path: Path) -> None:
    together = threading.Barrier(2, timeout=10)
    there = world(tmp_path, agent=AnyAgent(act=lambda _: together.wait() and None), concurrency=2)
    assert there.run().outcomes == 2
    wait_until(lambda: left_behind(tmp_path) == [])


class Processes:
    """Runs trials in other processes: orders and observations cross by pickle, as on a cluster."""

    kind: ClassVar[str] = "processes"

    def executor(self, workers: int) -> Executor:
        return ProcessPoolExecutor(max_workers=workers, mp_context=multiprocessing.get_context("spawn"))


def test_the_same_plan_runs_in_other_processes(tmp_path: Path) -> None:
    there = world(tmp_path, agent=ReferenceAgent(), tasks=2)
    there.kit = replace(there.kit, schedulers={"processes": Processes()}, scheduler="processes", workers=2)
    assert there.run().outcomes == 4
    assert {each.verdict for each in there.records(Outcome)} == {"pass"}
    assert left_behind(tmp_path) == []


class Killing(ReferenceAgent):
    """Kills the worker that runs it."""

    def run(self, order: AgentOrder) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_lost_worker_is_on_record_and_stops_the_run(tmp_path: Path) -> None:
    there = world(tmp_path, agent=Killing(), tasks=2)
    there.kit = replace(there.kit, schedulers={"processes": Processes()}, scheduler="processes", workers=1)
    with pytest.raises(WorldFault) as raised:
        there.run()
    assert raised.value.reasons[0].code == "worker-lost"
    lost = there.records(Infrastructure)
    assert {(each.rule, each.step, each.measures["cost"]) for each in lost} == {("world", "worker", None)}
    there.kit = replace(
        there.kit, agents={"reference": ReferenceAgent()}, schedulers=world(tmp_path / "x").kit.schedulers
    )
    there.kit = replace(there.kit, scheduler="local")
    assert there.run().outcomes == 4
    assert left_behind(tmp_path) == []
