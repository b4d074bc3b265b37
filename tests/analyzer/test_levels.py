"""Levels: each is judged as if it were alone, and all together by the mean over levels inside a task."""

from dataclasses import replace
from decimal import Decimal

import pytest

from analyzer.fitting import at_every_level, like_the_control
from analyzer.frame import frame
from analyzer.verdict import Verdict
from compiler.plan import AnalysisPlan, DecisionPlan, LimitsPlan, MissingPlan
from tests.analyzer.runs import ARMS, DECISION, ENDPOINTS, Shot, judged, lines_of, plan_of, trials_of

LEVELS = ("large", "small")
COST, SOLVED, RELATIVE, PER_SOLVED, _ = ENDPOINTS


def crossed(*conditions: str, **changes: object) -> AnalysisPlan:
    """System N at two levels, as the compiler lowers it."""
    arms = tuple(sorted(f"{arm}_{level}" for arm in ARMS for level in LEVELS))
    endpoints = [replace(each, pooled=LEVELS) for each in (COST, RELATIVE)] + [PER_SOLVED]
    for each in (COST, SOLVED, RELATIVE):
        for level in LEVELS:
            text = (each.compare or "").replace("neuralmind", f"neuralmind_{level}")
            text = text.replace("baseline", f"baseline_{level}")
            endpoints.append(replace(each, name=f"{each.name}.{level}", compare=text, level=level))
    plan = plan_of(
        tasks=8,
        seeds=1,
        arms=arms,
        endpoints=tuple(endpoints),
        levels={level: {arm: f"{arm}_{level}" for arm in ARMS} for level in LEVELS},
        limits=dict.fromkeys(arms, LimitsPlan(time_s=plan_of().limits["baseline"].time_s)),
        decision=rule(*conditions),
        sample_size={},
    )
    return replace(plan, **changes)  # type: ignore[arg-type]


def rule(*conditions: str) -> DecisionPlan:
    return replace(DECISION, supported_when=conditions or ("cost.p < 0.05",))


def shots(task: str, arm: str, seed: int) -> Shot:
    """The treatment halves the cost at the large level and changes nothing, but solves more, at the small one."""
    del seed
    number = int(task[1:])
    cost = {
        "baseline_large": 200 + number,
        "neuralmind_large": 100 + number,
        "baseline_small": 20,
        "neuralmind_small": 20,
    }
    return Shot(cost=f"{cost[arm] / 100:.2f}", solved=arm == "neuralmind_small" or number > 4)


def alone(level: str) -> Verdict:
    """The same trials of one level, as an experiment of its own."""
    plan = plan_of(tasks=8, seeds=1, decision=rule("cost.p < 0.05"), sample_size={})
    limits = dict.fromkeys(ARMS, crossed().limits[f"baseline_{level}"])
    return judged(
        replace(plan, limits=limits), lines_of(plan, lambda task, arm, seed: shots(task, f"{arm}_{level}", seed))
    )


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_is_judged_as_if_it_were_alone(level: str) -> None:
    plan = crossed()
    whole, single = judged(plan, lines_of(plan, shots)), alone(level)
    for name in ("cost", "solved", "relative_cost"):
        here, there = dict(whole.endpoints[f"{name}.{level}"].values), dict(single.endpoints[name].values)
        for values in (here, there):
            values.pop("arms"), values.pop("counts", None)
        assert here == there


def test_over_all_levels_a_task_has_the_mean_of_its_levels() -> None:
    plan = crossed()
    cost = judged(plan, lines_of(plan, shots)).endpoints["cost"]
    assert cost.tasks["t01"] == {"neuralmind": 0.605, "baseline": 1.105, "difference": -0.5}
    assert cost.values["n"] == 8
    assert cost.values["estimate"] == -0.5
    assert cost.notes[0] == "over 2 levels together (large, small): of each task the mean over its levels"


def test_a_rule_reads_levels_and_arms_within_them() -> None:
    conditions = (
        "cost.large.p < 0.05",
        "solved.small.estimate >= 0.5",
        "solved.small.count(neuralmind) == 8 task",
        "solved.large.count(neuralmind) == 4 task",
        "cost_per_solved.small.arm(neuralmind) == 0.20 USD",
    )
    plan = crossed(*conditions)
    found = judged(plan, lines_of(plan, shots))
    assert [each.holds for each in found.conditions] == [True] * 5
    assert found.status == "supported"


def test_what_is_unknown_at_one_level_is_unknown_over_all() -> None:
    def lacking(task: str, arm: str, seed: int) -> Shot:
        shot = shots(task, arm, seed)
        return replace(shot, cost=None) if (task, arm) == ("t03", "neuralmind_small") else shot

    plan = crossed()
    found = judged(plan, lines_of(plan, lacking)).endpoints
    assert found["cost"].values["estimate"] is None
    assert found["cost.small"].values["estimate"] is None
    assert found["cost.large"].values["estimate"] == -1


def test_a_pair_is_struck_at_its_own_level_only_and_rules_know_arms_by_their_name_in_the_spec() -> None:
    rules = (MissingPlan(rule="lost", when='stop == "error" and arm == "neuralmind"', exclude="pair"),)

    def broken(task: str, arm: str, seed: int) -> Shot:
        shot = shots(task, arm, seed)
        return replace(shot, ended="error") if (task, arm) == ("t03", "neuralmind_small") else shot

    plan = crossed(missing=rules)
    found = judged(plan, lines_of(plan, broken))
    assert {name: found.endpoints[name].values["n"] for name in ("cost", "cost.large", "cost.small")} == {
        "cost": 7,
        "cost.large": 8,
        "cost.small": 7,
    }
    assert found.arms["baseline_small"].excluded == {"lost": 1}
    assert found.arms["baseline_large"].excluded == {}


def test_a_next_run_is_sized_with_each_arm_like_the_control_of_its_level() -> None:
    plan = crossed()
    framed = frame(plan, lines_of(plan, shots), trials_of(plan))
    for control in ("baseline", "baseline_large"):
        found = like_the_control(plan, framed, control)
        assert found is not None
        costs = {arm: each.cost.median for arm, each in found.items() if each.cost is not None}
        assert costs["neuralmind_large"] == costs["baseline_large"] > 2
        assert costs["neuralmind_small"] == costs["baseline_small"] == Decimal("0.2")
    for treatment in ("neuralmind", "neuralmind_small"):
        assert at_every_level(plan, treatment) == ("neuralmind_large", "neuralmind_small")
