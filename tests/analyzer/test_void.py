"""A partly refreshed matrix is void: outcomes of one tool in several versions are refused, and the trials named."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from compiler.plan import AnalysisPlan
from ledger.errors import Fault, IntegrityFault
from ledger.records import Outcome, Record
from tests.analyzer.runs import chained, cheaper, judged, plan_of, records_of

SHARED = plan_of(tasks=2, seeds=1, same_tool=(("baseline", "neuralmind"),))


def refused(plan: AnalysisPlan, versions: Callable[[Outcome], dict[str, str]]) -> tuple[Fault, ...]:
    records: list[Record] = [
        replace(each, versions=versions(each)) if isinstance(each, Outcome) else each
        for each in records_of(plan, cheaper)
    ]
    try:
        judged(plan, chained(records))
    except IntegrityFault as fault:
        return fault.reasons
    return ()


def test_one_version_of_each_tool_is_judged() -> None:
    assert refused(SHARED, lambda _: {"agent": "2", "sandbox": "local", "python": "3.11"}) == ()


def test_a_version_that_changed_within_an_arm_names_its_trials() -> None:
    (fault,) = refused(plan_of(tasks=3, seeds=1), lambda it: {"agent": "3" if it.trial == "t02/baseline/1" else "2"})
    assert fault.code == "versions-mixed"
    assert fault.what == "the programs of baseline changed within the run: agent, so this matrix is void"
    assert (fault.expected, fault.got) == ("2, as in 2 trials", "3: t02/baseline/1")


def test_what_a_provider_brings_may_differ_between_arms_but_not_within_one() -> None:
    assert refused(SHARED, lambda it: {"agent": "2", "guide": it.arm}) == ()
    assert [each.code for each in refused(SHARED, lambda it: {"guide": it.task})] == ["versions-mixed"] * 2


@pytest.mark.parametrize("name", ["agent", "program tool"])
def test_one_tool_of_several_arms_has_one_version(name: str) -> None:
    (fault,) = refused(SHARED, lambda it: {name: it.arm})
    assert fault.what.startswith("the one tool of baseline, neuralmind changed within the run")
    assert "t01/baseline/1, t02/baseline/1" in (fault.got or "")
    assert refused(plan_of(tasks=2, seeds=1), lambda it: {name: it.arm}) == (), "two tools may have two versions"


def test_all_arms_run_in_one_sandbox_and_find_one_environment() -> None:
    assert [each.code for each in refused(SHARED, lambda it: {"sandbox": it.arm})] == ["versions-mixed"]
    assert [each.code for each in refused(SHARED, lambda it: {"python": it.arm})] == ["versions-mixed"]
    sets = (replace(SHARED.tasks[0], set="one"), replace(SHARED.tasks[1], set="other"))
    assert refused(replace(SHARED, tasks=sets), lambda it: {"environment": it.task}) == ()


def test_costs_by_another_route_than_the_registered_one_are_refused() -> None:
    plan = replace(SHARED, routes={"cost": "price-table", "time": "harness-bracket", "prices": "sha256:1"})
    assert refused(plan, lambda _: {"cost route": "price-table, prices sha256:1"}) == ()
    (fault,) = refused(plan, lambda it: {"cost route": "agent-result"} if it.task == "t01" else {})
    assert (fault.code, fault.expected) == ("route-mixed", "price-table, prices sha256:1")
    assert fault.got == "agent-result: t01/baseline/1, t01/neuralmind/1"
