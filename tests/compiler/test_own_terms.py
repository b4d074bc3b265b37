"""What a task brings along: its checks become an oracle, its limits lower those of an arm."""

from dataclasses import replace
from decimal import Decimal

import pytest

from compiler.own_terms import own_limits, own_oracle
from compiler.plan import Chosen, LimitsPlan, TaskLimits, lowered
from compiler.task import Candidate
from ledger.errors import IntegrityFault

CHECKS = {
    "command_1": {"kind": "command", "options": {"run": "true"}},
    "answer_contains_2": {"kind": "answer-contains", "options": {"pattern": "x"}},
}
TASK = Candidate(id="t", set="s", status="kept", facts={"checks": CHECKS, "limits": {"time_s": "60", "cost_usd": None}})


def test_every_check_must_hold() -> None:
    oracle = own_oracle(TASK)
    assert oracle.checks["command_1"] == Chosen(kind="command", options={"run": "true"})
    assert oracle.passes == ("answer_contains_2.ok", "command_1.ok")
    assert oracle.partial == ()


@pytest.mark.parametrize("checks", [None, {}, [], {"a": {"options": {}}}, {"a": {"kind": 1, "options": {}}}])
def test_a_pool_that_lost_a_tasks_checks_is_refused(checks: object) -> None:
    with pytest.raises(IntegrityFault):
        own_oracle(replace(TASK, facts={"checks": checks}))


def test_limits() -> None:
    assert own_limits(TASK) == TaskLimits(time_s=Decimal(60))
    assert own_limits(replace(TASK, facts={})) is None
    with pytest.raises(IntegrityFault):
        own_limits(replace(TASK, facts={"limits": {"time_s": "soon", "cost_usd": None}}))


@pytest.mark.parametrize(
    ("arm", "task", "least"),
    [
        ((600, None), None, (600, None)),
        ((600, None), (None, None), (600, None)),
        ((600, 2), (60, 1), (60, 1)),
        ((600, 2), (900, 3), (600, 2)),
        ((600, None), (None, 3), (600, 3)),
        ((600, 2), (60, None), (60, 2)),
    ],
)
def test_of_two_limits_the_lower_one_counts(
    arm: tuple[int, int | None], task: tuple[int | None, int | None] | None, least: tuple[int, int | None]
) -> None:
    def money(value: int | None) -> Decimal | None:
        return None if value is None else Decimal(value)

    limits = LimitsPlan(time_s=Decimal(arm[0]), cost_usd=money(arm[1]), turns=7)
    own = None if task is None else TaskLimits(time_s=money(task[0]), cost_usd=money(task[1]))
    assert lowered(limits, own) == LimitsPlan(time_s=Decimal(least[0]), cost_usd=money(least[1]), turns=7)


def test_a_task_may_say_when_it_passes_and_when_it_is_partial() -> None:
    said = {**TASK.facts, "pass": ["command_1.exit_code == 0"], "partial": ["command_1.ok"]}
    oracle = own_oracle(replace(TASK, facts=said))
    assert (oracle.passes, oracle.partial) == (("command_1.exit_code == 0",), ("command_1.ok",))
    assert own_oracle(TASK).partial == ()
