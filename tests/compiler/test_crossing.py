"""Arms crossed with levels: who runs, what is compared with what, and which agent each arm at a level has."""

from compiler.plan import AnalysisPlan
from tests.compiler import world

LEVELS = "across: {model: {small: {}, large: {model: large-model, version: '2'}}}\nsingle_difference: provider"
EDITS = (
    ("single_difference: provider", LEVELS),
    (
        "solved.count(notes) >= solved.count(baseline) - 1 task",
        "solved.large.count(notes) >= solved.large.count(baseline) - 1 task",
    ),
)


def crossed() -> str:
    return world.edited(*EDITS)


def named(plan: AnalysisPlan) -> dict[str, str | None]:
    return {each.name: each.compare for each in plan.endpoints}


def test_every_arm_runs_at_every_level() -> None:
    run = world.compiled(crossed()).plan.run
    assert {arm.name: (arm.said, arm.level, arm.agent.model, arm.agent.version) for arm in run.arms} == {
        "baseline_large": ("baseline", "large", "large-model", "2"),
        "baseline_small": ("baseline", "small", "small-model", "1.4.0"),
        "notes_large": ("notes", "large", "large-model", "2"),
        "notes_small": ("notes", "small", "small-model", "1.4.0"),
    }
    assert len(run.trials) == 8 * 2 * 2 * 3
    assert {trial.arm for trial in run.trials[:4]} == {arm.name for arm in run.arms}  # interleaved, levels and all


def test_comparisons_are_repeated_within_levels_and_pooled_where_a_mean_will_do() -> None:
    plan = world.compiled(crossed()).plan.analysis
    assert named(plan) == {
        "cost": "notes - baseline",
        "cost.large": "notes_large - baseline_large",
        "cost.small": "notes_small - baseline_small",
        "solved.large": "notes_large - baseline_large",
        "solved.small": "notes_small - baseline_small",
        "relative_cost": "notes / baseline - 1",
        "relative_cost.large": "notes_large / baseline_large - 1",
        "relative_cost.small": "notes_small / baseline_small - 1",
        "cost_per_solved": None,
        "gold": None,
    }
    assert {each.name: each.pooled for each in plan.endpoints if each.pooled} == {
        "cost": ("large", "small"),
        "relative_cost": ("large", "small"),
    }
    assert plan.levels["large"] == {"baseline": "baseline_large", "notes": "notes_large"}


def test_a_level_may_be_another_kind_of_agent_and_takes_nothing_of_the_first_ones_options() -> None:
    other = "across: {agent: {one: {}, other: {kind: noop, model: large-model}}}\nsingle_difference: provider"
    text = world.edited(("single_difference: provider", other), (EDITS[1][0], "solved.one.n >= 1 task"))
    arms = {arm.name: arm.agent for arm in world.compiled(text).plan.run.arms}
    assert (arms["notes_one"].kind, arms["notes_other"].kind) == ("command", "noop")
    assert "run" in arms["notes_one"].options
    assert arms["notes_other"].options == {}


def test_without_levels_nothing_is_another() -> None:
    plan = world.compiled().plan
    assert plan.analysis.levels == {}
    assert [arm.name for arm in plan.run.arms] == ["baseline", "notes"] == [arm.said for arm in plan.run.arms]
    assert all(each.level is None and not each.pooled for each in plan.analysis.endpoints)
