"""The decision rule over given estimates, gold cases of seed 000 among them."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from analyzer.decide import adjusted, decide
from analyzer.reckoned import Amounts, Reckoned, shown
from compiler.plan import DecisionPlan, EndpointPlan
from ledger.errors import IntegrityFault
from tests.analyzer.runs import DECISION

GOLD = Path(__file__).parents[1] / "gold" / "stats.json"


def reckoned(name: str, by: dict[str, Amounts] | None = None, **values: object) -> Reckoned:
    return Reckoned(endpoint=EndpointPlan(name=name, role="primary", unit="USD"), values=values, by=by or {})  # type: ignore[arg-type]


def of_n(p: float, upper: float, treatment: int, baseline: int) -> dict[str, Reckoned]:
    return {
        "cost": reckoned("cost", p=p),
        "relative_cost": reckoned("relative_cost", upper=upper),
        "solved": reckoned("solved", counts={"neuralmind": treatment, "baseline": baseline}),
    }


def gold() -> list[dict[str, object]]:
    return [each for each in json.loads(GOLD.read_text())["cases"] if each["procedure"] == "decision_rule"]


@pytest.mark.parametrize("case", gold(), ids=lambda case: str(case["id"]))
def test_gold_decisions_of_seed_000(case: dict[str, dict[str, float]]) -> None:
    given = case["inputs"]
    assert (given["alpha"], given["margin_tasks"]) == (0.05, 1)
    endpoints = of_n(given["wilcoxon_p"], given["ci_hi"], int(given["solved_treatment"]), int(given["solved_baseline"]))
    decided = decide(DECISION, endpoints, {})
    assert (decided.status == "supported") is case["expected"]["supported"]


def test_boundaries_are_those_of_the_numbers_that_are_shown() -> None:
    assert decide(DECISION, of_n(0.05, -0.1, 18, 18), {}).status == "not_supported"
    assert decide(DECISION, of_n(0.049999999999999996, -0.1, 18, 18), {}).status == "supported"
    assert decide(DECISION, of_n(0.01, -0.0, 18, 18), {}).status == "not_supported"


def test_a_gap_outranks_every_condition() -> None:
    good, bad = of_n(0.01, -0.1, 18, 18), of_n(0.9, 0.1, 1, 18)
    assert decide(DECISION, good, {"t/a/1": "lost"}).status == "no_verdict"
    assert decide(DECISION, bad, {"t/a/1": "lost"}).status == "no_verdict"


def rule(*supported: str, decidable: tuple[str, ...] = ()) -> DecisionPlan:
    return replace(DECISION, supported_when=supported, decidable_when=decidable)


def test_unknown_inside_a_condition_follows_kleene() -> None:
    endpoints = {"a": reckoned("a", p=None), "b": reckoned("b", p=0.01)}
    assert decide(rule("a.p < 0.05 or b.p < 0.05"), endpoints, {}).status == "supported"
    assert decide(rule("a.p < 0.05 and b.p > 0.05"), endpoints, {}).status == "not_supported"
    assert decide(rule("a.p < 0.05 and b.p < 0.05"), endpoints, {}).status == "no_verdict"
    assert decide(rule("not known(a.p)"), endpoints, {}).status == "supported"


@pytest.mark.parametrize(("discordant", "status"), [(6, "supported"), (5, "no_verdict"), (None, "no_verdict")])
def test_too_few_discordant_tasks_cannot_decide(discordant: int | None, status: str) -> None:
    endpoints = {"solved": reckoned("solved", lower=0.1, discordant=discordant)}
    decided = decide(rule("solved.lower > 0", decidable=("solved.discordant >= 6 tasks",)), endpoints, {})
    assert decided.status == status
    assert decided.decidable[0].values == {"solved.discordant": discordant}


def test_levels_of_a_breakdown_can_be_read() -> None:
    endpoints = {"solved": reckoned("solved", by={"easy": {"estimate": 0.05}})}
    assert decide(rule("solved.easy.estimate >= 5 pp"), endpoints, {}).status == "supported"
    assert decide(rule("solved.hard.estimate >= 5 pp"), endpoints, {}).status == "no_verdict"


def test_values_of_arms_can_be_read() -> None:
    endpoints = {"each": reckoned("each", arms={"one": 0.9, "two": 1})}
    decided = decide(rule("each.arm(one) < each.arm(two) * 95 %"), endpoints, {})
    assert decided.status == "supported"
    assert decided.conditions[0].values == {"each.arm(one)": 0.9, "each.arm(two)": 1}


@pytest.mark.parametrize("text", ["nothing.p < 0.05", "cost", "cost.p"])
def test_a_rule_that_does_not_fit_the_plan_is_refused(text: str) -> None:
    with pytest.raises(IntegrityFault) as refused:
        decide(rule(text), of_n(0.01, -1, 1, 1), {})
    assert refused.value.reasons[0].where == "plan.json: analysis.decision.supported_when"


def test_holm_stands_between_the_tests_and_the_rule() -> None:
    endpoints = {"a": reckoned("a", p=0.03), "b": reckoned("b", p=0.04), "c": reckoned("c", p=0.001)}
    decision = replace(rule("a.p < 0.05", "c.p < 0.05"), family=("a", "b", "c"), correction="holm")
    corrected = adjusted(decision, endpoints)
    assert [float(str(corrected[name].values["p"])) for name in "abc"] == [0.03, 0.04, 0.001]
    decided = decide(decision, corrected, {})
    assert [each.values for each in decided.conditions] == [{"a.p": 0.06}, {"c.p": 0.003}]
    assert [each.holds for each in decided.conditions] == [False, True]


def test_a_member_without_a_p_counts_as_one_and_the_others_are_decided() -> None:
    endpoints = {"a": reckoned("a", p=0.01), "b": reckoned("b", p=None), "c": reckoned("c", p=0.02)}
    decision = replace(rule("a.p < 0.05", "c.p < 0.05"), family=("a", "b", "c"), correction="holm")
    corrected = adjusted(decision, endpoints)
    assert [corrected[name].values["p_adjusted"] for name in "abc"] == [Fraction("0.03"), None, Fraction("0.04")]
    assert "counts as 1" in corrected["b"].reasons["p_adjusted"]
    assert decide(decision, corrected, {}).status == "supported"
    reading_it = replace(decision, supported_when=("a.p < 0.05", "b.p < 0.05"))
    assert decide(reading_it, corrected, {}).status == "no_verdict"
    either = replace(decision, supported_when=("a.p < 0.05 or b.p < 0.05",))
    assert decide(either, corrected, {}).status == "supported"


def test_a_fixed_sequence_is_tested_in_its_order() -> None:
    endpoints = {"a": reckoned("a", p=0.01), "b": reckoned("b", p=0.2), "c": reckoned("c", p=0.001)}
    decision = replace(rule("c.p < 0.05"), family=("c", "a", "b"), correction="fixed-sequence")
    assert decide(decision, adjusted(decision, endpoints), {}).status == "supported"
    shut = replace(decision, family=("b", "c", "a"))
    corrected = adjusted(shut, endpoints)
    assert [float(str(shown(corrected[name].values["p_adjusted"]))) for name in "bca"] == [0.2, 0.2, 0.2]
    assert decide(shut, corrected, {}).status == "not_supported"


def test_an_unknown_gate_lets_nothing_through() -> None:
    endpoints = {"a": reckoned("a", p=None), "b": reckoned("b", p=0.001)}
    decision = replace(rule("b.p < 0.05"), family=("a", "b"), correction="fixed-sequence")
    assert decide(decision, adjusted(decision, endpoints), {}).status == "not_supported"
    first = replace(decision, family=("b", "a"))
    assert decide(first, adjusted(first, endpoints), {}).status == "supported"


def test_a_family_that_does_not_fit_the_plan_is_refused() -> None:
    endpoints = {"a": reckoned("a", p=0.01), "b": reckoned("b", p=0.2)}
    decision = replace(rule("a.p < 0.05"), family=("a", "b"), correction="holm")
    with pytest.raises(IntegrityFault):
        adjusted(replace(decision, correction="none"), endpoints)
    with pytest.raises(IntegrityFault):
        adjusted(replace(decision, family=("a", "z")), endpoints)
