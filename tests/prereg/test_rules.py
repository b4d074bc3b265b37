"""The registered conditions as predicates: Kleene logic, first match, measures written out, unknown facts."""

import pickle
from dataclasses import replace

import pytest

from compiler.plan import (
    AgentPlan,
    ArmPlan,
    AttemptRule,
    Chosen,
    CollectPlan,
    HarvestPlan,
    HarvestSet,
    LimitsPlan,
    OraclePlan,
    RunPlan,
)
from ledger.errors import IntegrityFault
from prereg.rules import keep_predicate, own_verdict, plan_rules

AGENT = AgentPlan(kind="noop", version=None, model=None, limits=LimitsPlan(time_s=1))  # type: ignore[arg-type]

PLAN = RunPlan(
    experiment="x",
    stage="pilot",
    simulated=True,
    arms=tuple(ArmPlan(name=each, agent=AGENT, provider=Chosen(kind="none")) for each in ("baseline", "guide")),
    tasks=(),
    oracles={
        "fixes": OraclePlan(
            checks={"fixed": Chosen(kind="tests"), "kept": Chosen(kind="tests"), "both": "fixed.ok and kept.ok"},
            passes=("both.ok",),
            partial=("fixed.passed >= 1",),
        )
    },
    trials=(),
    rules=(
        AttemptRule(rule="harness", when='not result_event or terminal_reason == "api_error"', retry=5),
        AttemptRule(rule="late", when='stop == "timeout"', retry=None),
        AttemptRule(rule="idle", when='arm == "guide" and not hooks_ran', retry=2),
        AttemptRule(rule="dear", when="cost > 1 USD", retry=1),
    ),
    measures={"hooks_ran": "hook_prompts >= 1"},
    collect={"hook_prompts": CollectPlan(file="x.json", path="n", type="count")},
    sandbox=None,
    concurrency=1,
    budget_usd=None,
)


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        ({"fixed.ok": True, "kept.ok": True}, "pass"),
        ({"fixed.ok": True, "kept.ok": False, "fixed.passed": 2}, "partial"),
        ({"fixed.ok": False, "kept.ok": True, "fixed.passed": 0}, "fail"),
        ({"fixed.ok": True, "kept.ok": None}, "fail"),  # an unknown check passes nothing
        ({}, "fail"),
    ],
)
def test_verdicts(facts: dict[str, bool | int | None], verdict: str) -> None:
    assert plan_rules(PLAN).verdict("fixes", facts) == verdict


FINE = {"result_event": True, "terminal_reason": "end_turn", "stop": "finished", "arm": "baseline", "cost": "0.5"}


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        ({}, None),
        ({"result_event": False}, ("harness", 5)),
        ({"terminal_reason": "api_error"}, ("harness", 5)),
        ({"result_event": None, "terminal_reason": None}, None),  # unknown: the rule does not match
        ({"stop": "timeout", "cost": "1.5"}, None),  # the first match asks for no retry, a later one is not asked
        ({"cost": "1.5"}, ("dear", 1)),
        ({"cost": None}, None),
        ({"arm": "guide", "hook_prompts": 0}, ("idle", 2)),
        ({"arm": "guide", "hook_prompts": 3}, None),
        ({"arm": "guide"}, None),
    ],
)
def test_retries(facts: dict[str, bool | int | str | None], found: tuple[str, int] | None) -> None:
    assert plan_rules(PLAN).retry(FINE | facts) == found


def test_a_fact_of_another_type_is_refused_not_guessed() -> None:
    with pytest.raises(IntegrityFault, match="declared type"):
        plan_rules(PLAN).retry(FINE | {"result_event": "yes"})


def test_a_plan_with_text_that_is_no_expression_is_refused() -> None:
    broken = replace(PLAN, rules=(AttemptRule(rule="x", when="not (", retry=1),))
    with pytest.raises(IntegrityFault, match="no expression"):
        plan_rules(broken).retry(FINE)


def test_rules_travel_to_a_worker() -> None:
    assert pickle.loads(pickle.dumps(plan_rules(PLAN))).retry({**FINE, "result_event": False}) == ("harness", 5)


def test_selection_says_which_condition_stands_in_the_way() -> None:
    where = ('subject startswith "fix"', 'count(changed("src/**/*.py")) in 1..2', "count(fail_to_pass) >= 1")
    asked = HarvestSet(name="fixes", source=Chosen(kind="git-history"), where=where, harvests=2, environment=None)
    keep = keep_predicate(HarvestPlan(sets=(asked,)))
    changed = [{"path": "src/a.py", "status": "M"}, {"path": "tests/test_a.py", "status": "M"}]
    metadata = {"subject": "fix: a", "changed": changed}
    early = keep("fixes", metadata)
    assert early.holds is None
    assert [each.code for each in early.reasons] == ["unknown-fact"]
    assert keep("fixes", metadata | {"fail_to_pass": ["t"]}).holds is True
    late = keep("fixes", metadata | {"subject": "docs", "fail_to_pass": []})
    assert late.holds is False
    assert [each.what for each in late.reasons] == [where[0], where[2]]


def test_a_task_is_judged_by_the_conditions_that_it_brings_along() -> None:
    checks = {
        "types": {"kind": "command", "options": {"run": "true"}},
        "figure": {"kind": "number", "options": {}},
    }
    own = {
        "checks": checks,
        "pass": ["types.ok and figure.within"],
        "partial": ["figure.present", "figure.difference < 2"],
    }
    good = {
        "types.ok": True,
        "figure.ok": True,
        "figure.within": True,
        "figure.present": True,
        "figure.difference": "0.5",
    }
    assert own_verdict(own, good) == "pass"
    assert own_verdict(own, {**good, "types.ok": False}) == "partial"
    assert own_verdict(own, {**good, "figure.within": False, "figure.difference": "2.5"}) == "fail"
    assert (
        own_verdict(own, {**good, "figure.within": False, "figure.difference": None}) == "fail"
    )  # unknown holds nothing
    assert (
        own_verdict({"checks": checks}, {**good, "figure.within": None}) == "pass"
    )  # without conditions: every check holds
