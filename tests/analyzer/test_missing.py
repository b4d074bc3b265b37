"""Missing data: rules in order, first match wins, and what no rule explains is a gap."""

from dataclasses import replace

import pytest

from analyzer.frame import frame
from analyzer.missing import Settled, settle
from compiler.plan import AnalysisPlan, MissingPlan
from ledger.errors import IntegrityFault, UndecidedFault
from ledger.records import Infrastructure, InvalidEnvironment, Outcome
from tests.analyzer.runs import RULES, Shot, Shots, chained, cheaper, judged, lines_of, plan_of, records_of, trials_of

LOST = Shot(rule="harness_failure", more={"terminal_reason": "api_error"})


def settled(plan: AnalysisPlan, shots: Shots, **gaps: str) -> dict[str, Settled]:
    lines = lines_of(plan, shots, **gaps)
    return {each.row.trial.id: each for each in settle(plan, frame(plan, lines, trials_of(plan)))}


def one(trial: str, special: Shot | list[Shot]) -> Shots:
    def shots(task: str, arm: str, seed: int) -> Shot | list[Shot]:
        return special if f"{task}/{arm}/{seed}" == trial else cheaper(task, arm, seed)

    return shots


def test_a_timeout_counts_as_unsolved_at_the_cap() -> None:
    """Also when its tests happened to pass, and although no cost was reported."""
    plan = plan_of(tasks=2)
    timeout = Shot(cost=None, solved=True, ended="timeout", reasons={"cost": "killed before its result event"})
    found = settled(plan, one("t01/neuralmind/2", timeout))["t01/neuralmind/2"]
    assert (found.fate, found.rule) == ("scored", "timeout")
    assert found.values["cost"] == 2
    assert found.values["solved"] is False


def test_the_cap_is_that_of_its_own_arm() -> None:
    plan = plan_of(tasks=1)
    dearer = replace(plan.limits["baseline"], cost_usd=plan.limits["baseline"].time_s)
    plan = replace(plan, limits={**plan.limits, "baseline": dearer})
    timeout = Shot(cost=None, ended="timeout")
    found = settled(plan, lambda task, arm, seed: timeout)
    assert (found["t01/baseline/1"].values["cost"], found["t01/neuralmind/1"].values["cost"]) == (1200, 2)


def test_a_cap_that_is_not_registered_leaves_the_cost_unknown() -> None:
    plan = plan_of(tasks=2)
    plan = replace(plan, limits={arm: replace(each, cost_usd=None) for arm, each in plan.limits.items()})
    verdict = judged(plan, lines_of(plan, one("t01/neuralmind/2", Shot(cost=None, ended="timeout"))))
    assert verdict.status == "no_verdict"


def test_an_api_error_under_subtype_success_that_was_retried_leaves_no_trace_in_the_estimates() -> None:
    plan = plan_of(tasks=3)
    clean = judged(plan, lines_of(plan, cheaper))
    retried = judged(plan, lines_of(plan, one("t02/baseline/1", [LOST, LOST, cheaper("t02", "baseline", 1)])))
    assert retried.endpoints == clean.endpoints
    assert retried.status == clean.status
    assert retried.arms["baseline"].retried == {"harness_failure": 2}
    assert retried.arms["baseline"].attempts == clean.arms["baseline"].attempts + 2
    assert retried.arms["baseline"].cost_usd == pytest.approx(float(str(clean.arms["baseline"].cost_usd)) + 2)


def test_an_api_error_that_was_kept_as_an_outcome_is_a_gap() -> None:
    """The mistake of the first pilot attempt: a logged-out agent recorded as unsolved at 0 USD."""
    plan = plan_of(tasks=2)
    kept = Shot(cost="0", solved=False, more={"terminal_reason": "api_error"})
    verdict = judged(plan, lines_of(plan, one("t02/baseline/1", kept)))
    assert verdict.status == "no_verdict"
    assert "asks for a retry" in verdict.gaps["t02/baseline/1"]
    assert verdict.wording == plan.decision.wording["no_verdict"]


def test_retries_that_are_used_up_leave_a_named_gap_and_no_verdict() -> None:
    plan = plan_of(tasks=8)
    lines = lines_of(plan, one("t02/baseline/1", [LOST] * 6), t02__baseline__1="harness_failure")
    verdict = judged(plan, lines)
    assert verdict.status == "no_verdict"
    assert verdict.gaps == {"t02/baseline/1": "no outcome: 6 attempts lost, none left under rule harness_failure"}
    cost = verdict.endpoints["cost"]
    assert cost.values["p"] is None
    assert "t02" in cost.reasons["p"]
    assert cost.values["known"]["p"] == 2**-7  # type: ignore[index, call-overload]


def test_a_gap_that_the_close_names_without_a_registered_rule_is_unexplained() -> None:
    plan = plan_of(tasks=2)
    lost = Shot(rule="lost", more=dict.fromkeys(("result_event", "terminal_reason", "environment_ok")))
    with pytest.raises(UndecidedFault):
        judged(plan, lines_of(plan, one("t02/baseline/1", lost), t02__baseline__1="tired"))


def test_a_null_cost_that_no_rule_explains_gives_no_verdict() -> None:
    plan = plan_of()
    verdict = judged(
        plan, lines_of(plan, one("t02/baseline/1", Shot(cost=None, reasons={"cost": "no usage reported"})))
    )
    assert verdict.status == "no_verdict"
    assert [each.holds for each in verdict.conditions] == [None, None, True]
    assert verdict.gaps == {}
    assert any("cost is unknown on 1 task" in each for each in verdict.warnings)


def test_unknown_gives_no_verdict_even_beside_a_condition_that_fails() -> None:
    plan = plan_of()

    def shots(task: str, arm: str, seed: int) -> Shot:
        cost = None if (task, arm) == ("t01", "baseline") else "1"
        return Shot(cost=cost, solved=arm == "baseline")

    verdict = judged(plan, lines_of(plan, shots))
    assert [each.holds for each in verdict.conditions] == [None, None, False]
    assert verdict.status == "no_verdict"


def test_an_unknown_seed_that_cannot_turn_the_majority_is_no_loss() -> None:
    plan = plan_of(tasks=2, measures={"solved": "touched_gold"})

    def shots(task: str, arm: str, seed: int) -> Shot:
        return Shot(more={"touched_gold": None if seed == 3 else True})

    assert judged(plan, lines_of(plan, shots)).endpoints["solved"].values["counts"] == {"baseline": 2, "neuralmind": 2}


def with_rules(*rules: MissingPlan, tasks: int = 3, seeds: int = 1) -> AnalysisPlan:
    return plan_of(tasks=tasks, seeds=seeds, missing=rules)


def test_the_first_rule_that_matches_wins() -> None:
    first = MissingPlan(rule="first", when="cost > 0 USD", value={"cost": "7 USD"})
    second = MissingPlan(rule="second", when="true", value={"cost": "9 USD"})
    found = settled(with_rules(first, second), lambda task, arm, seed: Shot(cost="0" if task == "t01" else "1"))
    assert found["t01/baseline/1"].values["cost"] == 9
    assert found["t02/baseline/1"].values["cost"] == 7


def test_a_condition_that_is_unknown_does_not_match() -> None:
    rule = MissingPlan(rule="odd", when="cost > 0 USD", exclude="trial")
    found = settled(with_rules(rule), lambda task, arm, seed: Shot(cost=None))
    assert {each.fate for each in found.values()} == {"scored"}


def test_exclude_pair_strikes_the_same_task_and_seed_in_every_arm() -> None:
    plan = with_rules(MissingPlan(rule="impure", when="not environment_ok", exclude="pair"), tasks=7)
    impure = Shot(more={"environment_ok": False})
    found = settled(plan, one("t02/neuralmind/1", impure))
    assert {name for name, each in found.items() if each.fate == "excluded"} == {"t02/neuralmind/1", "t02/baseline/1"}
    verdict = judged(plan, lines_of(plan, one("t02/neuralmind/1", impure)))
    assert verdict.endpoints["cost"].values["n"] == 6
    assert verdict.endpoints["cost"].values["left_out"] == 1
    assert verdict.endpoints["cost"].values["p"] == 2**-6
    assert verdict.arms["baseline"].excluded == {"impure": 1}


def test_exclude_trial_leaves_the_other_arm_and_the_other_seeds() -> None:
    plan = with_rules(MissingPlan(rule="impure", when="not environment_ok", exclude="trial"), tasks=2, seeds=3)
    found = settled(plan, one("t02/neuralmind/1", Shot(more={"environment_ok": False})))
    assert [name for name, each in found.items() if each.fate == "excluded"] == ["t02/neuralmind/1"]


def test_an_invalid_environment_without_an_outcome_is_excluded_by_its_rule() -> None:
    plan = with_rules(MissingPlan(rule="impure", when="not environment_ok", exclude="pair"), tasks=7)
    records = records_of(plan, cheaper)
    at = next(
        place for place, each in enumerate(records) if isinstance(each, Outcome) and each.trial == "t02/neuralmind/1"
    )
    outcome = records[at]
    assert isinstance(outcome, Outcome)
    records[at] = InvalidEnvironment(
        trial=outcome.trial, attempt=1, detail="another server was connected", measures={"cost": "0.4"}
    )
    records[-1] = replace(records[-1], outcomes=13)  # type: ignore[call-arg]
    verdict = judged(plan, chained(records))
    assert verdict.endpoints["cost"].values["n"] == 6
    assert verdict.arms["neuralmind"].retried == {"invalid environment": 1}


def test_an_invalid_environment_that_no_rule_speaks_of_gives_no_verdict() -> None:
    """The ledger says what was wrong with it, so the gap is explained; nothing registered says what to do about it."""
    plan = with_rules(tasks=3)
    records = records_of(plan, cheaper, t02__neuralmind__1="invalid_environment")
    at = next(
        place for place, each in enumerate(records) if isinstance(each, Outcome) and each.trial == "t02/neuralmind/1"
    )
    records[at] = InvalidEnvironment(trial="t02/neuralmind/1", attempt=1, detail="another server was connected")
    records[-1] = replace(records[-1], outcomes=5)  # type: ignore[call-arg]
    verdict = judged(plan, chained(records))
    assert verdict.status == "no_verdict"
    assert "not the registered one" in verdict.gaps["t02/neuralmind/1"]
    records[at] = Infrastructure(
        trial="t02/neuralmind/1", attempt=1, rule="lost", step="agent", detail="the executor ended"
    )
    with pytest.raises(UndecidedFault):
        judged(plan, chained(records))


@pytest.mark.parametrize("trial", ["t01__baseline__1", "x__baseline__1"])
def test_a_close_may_only_name_gaps_that_are_there(trial: str) -> None:
    plan = plan_of(tasks=2)
    with pytest.raises(IntegrityFault) as refused:
        judged(plan, lines_of(plan, cheaper, **{trial: "harness_failure"}))
    assert refused.value.reasons[0].code == "gap"


def test_keep_unknown_stays_unknown() -> None:
    plan = with_rules(MissingPlan(rule="no_cost", when="not known(cost)", keep="unknown"), *RULES, tasks=7)
    verdict = judged(plan, lines_of(plan, one("t02/neuralmind/1", Shot(cost=None))))
    assert verdict.status == "no_verdict"
    cost = verdict.endpoints["cost"]
    assert (cost.values["n"], cost.values["unknown"], cost.values["estimate"]) == (6, 1, None)
    assert cost.values["known"]["p"] == 2**-6  # type: ignore[index, call-overload]
    assert verdict.arms["neuralmind"].cost_unknown == 1
    per_arm = verdict.endpoints["cost_per_solved"]
    assert per_arm.values["arms"]["neuralmind"] is None  # type: ignore[index, call-overload]
    assert per_arm.reasons["neuralmind"] == "1 of 7 trials have an unknown value"


def test_a_value_reaches_the_measures_that_depend_on_it() -> None:
    plan = plan_of(tasks=1, measures={"solved": 'verdict == "pass"', "cheap": "solved and cost < 2 USD"})
    found = settled(plan, lambda task, arm, seed: Shot(cost=None, solved=True, ended="timeout"))
    assert found["t01/baseline/1"].values["cheap"] is False


def test_measures_may_stand_in_any_order() -> None:
    plan = plan_of(tasks=1, measures={"a": "b and c", "c": "b", "b": 'verdict == "pass"'})
    assert settled(plan, cheaper)["t01/baseline/1"].values["a"] is True


def test_a_skipped_task_is_not_an_unsolved_one() -> None:
    plan = plan_of(tasks=2)
    verdict = judged(plan, lines_of(plan, one("t01/baseline/1", Shot(verdict="skipped"))))
    assert verdict.status == "no_verdict"
    assert "skipped" in verdict.gaps["t01/baseline/1"]


def test_a_rule_may_change_the_verdict_itself() -> None:
    plan = with_rules(MissingPlan(rule="timeout", when='stop == "timeout"', value={"verdict": '"fail"'}))
    found = settled(plan, lambda task, arm, seed: Shot(ended="timeout", solved=True))
    assert found["t01/baseline/1"].values["solved"] is False
