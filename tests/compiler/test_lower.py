"""Lowering: every part of a plan follows from the spec and the draw."""

from dataclasses import replace

from compiler.arms import resolve
from compiler.procedures import INTERVALS, TESTS
from spec_lang.kinds import KINDS
from tests.compiler import world


def test_a_smoke_run_is_never_decidable() -> None:
    assert world.compiled(world.edited(("stage: pilot", "stage: smoke"))).plan.analysis.decision.decidable_when == (
        "false",
    )
    assert world.compiled().plan.analysis.decision.decidable_when == ()


def test_the_order_of_a_family_means_something_where_it_is_a_sequence_only() -> None:
    def family(correction: str) -> tuple[str, ...]:
        said = f"decision:\n  family: {{members: [solved, cost], correction: {correction}}}\n"
        plan = world.compiled(world.edited(("decision:\n", said))).plan
        assert f"correction:{correction}" in plan.procedures
        return plan.analysis.decision.family

    assert family("holm") == ("cost", "solved")
    assert family("fixed-sequence") == ("solved", "cost")


def test_a_task_that_a_model_may_have_read_is_flagged_in_the_plan() -> None:
    done = world.compiled(world.edited(('{small-model: "2026-06-30"}', '{small-model: "2026-07-05"}')))
    flagged = {task.id for task in done.plan.analysis.tasks if task.predates == ("small-model",)}
    assert flagged == {task.id for task in done.plan.analysis.tasks if task.id <= "t05"}
    assert [each.code for each in done.warnings] == ["P375"]


def test_a_scripted_agent_marks_both_plans() -> None:
    text = world.edited(('  kind: command\n  run: [agent, "{prompt}"]\n', "  kind: reference\n"))
    plan = world.compiled(text).plan
    assert plan.run.simulated
    assert plan.analysis.simulated


def test_what_one_arm_hides_is_hidden_from_all() -> None:
    text = world.edited(("{NOTES.md: notes.md}}}", "{NOTES.md: notes.md}}, hide_from_path: [notes, aid]}"))
    assert [arm.hide_from_path for arm in world.compiled(text).plan.run.arms] == [("aid", "notes")] * 2


def test_a_repeated_arm_is_the_same_arm_under_another_name() -> None:
    text = world.edited(
        (
            "  baseline: {provider: {kind: none}}\n",
            "  again: {repeats: baseline}\n  baseline: {provider: {kind: none}}\n",
        )
    )
    again, baseline, _ = world.compiled(text).plan.run.arms
    assert (again.name, baseline.name) == ("again", "baseline")
    assert replace(again, name="baseline") == baseline


def test_an_arm_of_another_kind_starts_without_the_options_of_the_first() -> None:
    text = world.edited(
        (
            "  notes: {provider: {kind: files, write: {NOTES.md: notes.md}}}",
            "  notes: {agent: {kind: noop, version: '2'}}",
        ),
        ("single_difference: provider", "single_difference: agent"),
    )
    baseline, notes = resolve(world.loaded(text).spec)
    assert baseline.agent.options == {"run": ["agent", "{prompt}"]}
    assert (notes.agent.kind, notes.agent.version, notes.agent.model, notes.agent.options) == (
        "noop",
        "2",
        "small-model",
        {},
    )


def test_measures_stand_written_out_where_a_run_reads_them() -> None:
    text = world.edited(
        (
            '  solved: verdict == "pass"\n',
            '  cheap: solved and low\n  low: cost < 1 USD\n  solved: verdict == "pass"\n',
        ),
    )
    plan = world.compiled(text).plan
    assert plan.run.measures["cheap"] == 'verdict == "pass" and cost < 1 USD'
    assert plan.analysis.measures["cheap"] == "solved and low"


def test_the_latest_cutoff_is_written_into_the_conditions() -> None:
    text = world.edited(('committed >= date("2026-07-01")', "committed > models.latest_cutoff"))
    done = world.compiled(text)
    assert len(done.plan.run.tasks) == 8


def test_endpoints_stand_by_role_and_then_by_name() -> None:
    names = [endpoint.name for endpoint in world.compiled().plan.analysis.endpoints]
    assert names == ["cost", "solved", "relative_cost", "cost_per_solved", "gold"]


def test_estimates_have_units() -> None:
    units = {endpoint.name: endpoint.unit for endpoint in world.compiled().plan.analysis.endpoints}
    assert units == {
        "cost": "USD",
        "solved": "pp",
        "relative_cost": "number",
        "cost_per_solved": "USD",
        "gold": "share",
    }


def test_what_a_bootstrap_leaves_open_is_written_into_the_plan() -> None:
    intervals = {endpoint.name: endpoint.interval for endpoint in world.compiled().plan.analysis.endpoints}
    chosen = intervals["relative_cost"]
    assert chosen is not None
    assert chosen.options["quantile"] == "inverted-cdf"


def test_only_facts_that_an_endpoint_reads_reach_the_analysis() -> None:
    text = world.edited(
        (
            "  gold: {role: secondary, per_arm: share(touched_gold)}",
            "  gold: {role: secondary, per_arm: share(touched_gold), by: [committed]}",
        ),
    )
    assert all(task.facts == {} for task in world.compiled().plan.analysis.tasks)
    assert {task.id: task.facts for task in world.compiled(text).plan.analysis.tasks}["t05"] == {
        "committed": "2026-07-05"
    }


def test_the_plan_pins_its_procedures() -> None:
    assert world.compiled().plan.procedures["test:wilcoxon-signed-rank"] == "wilcoxon-signed-rank-exact/1"


def test_every_test_and_interval_that_can_be_named_has_a_version_of_ours() -> None:
    assert set(KINDS["test"]) == set(TESTS)
    assert set(KINDS["interval"]) == set(INTERVALS)
