"""What honest designs need and no check may refuse."""

import pytest

from compiler.pipeline import check_loaded
from tests.compiler import world

RETRY = "    - {rule: harness_failure, when: not result_event, retry: 3}"
LAST = "    - solved.count(notes) >= solved.count(baseline) - 1 task"


def errors(*edits: tuple[str, str]) -> list[str]:
    found = check_loaded(world.loaded(world.edited(*edits)))
    return [f"{each.code} {each.summary}" for each in found if each.severity == "error"]


@pytest.mark.parametrize(
    "rule",
    [
        '{rule: api, when: not result_event or terminal_reason == "api_error", retry: 5}',
        "{rule: impure, when: not environment_ok, exclude: pair}",
        '{rule: skipped, when: verdict == "skipped", exclude: pair}',
        '{rule: unjudged, when: judgment == "unjudged", keep: unknown}',
        "{rule: unbilled, when: not known(cost), keep: unknown}",
        "{rule: half_billed, when: known(cost) and not known(cache_read), keep: unknown}",
        '{rule: errored, when: stop == "error", value: {solved: "false"}}',
    ],
)
def test_rules_about_how_an_attempt_stopped(rule: str) -> None:
    assert errors((RETRY, f"    - {rule}")) == []


def test_a_manipulation_check_may_ask_for_a_retry() -> None:
    assert (
        errors(
            (RETRY, f'{RETRY}\n    - {{rule: not_manipulated, when: arm == "notes" and not read_notes, retry: 5}}'),
            (
                "measures:\n",
                "collect:\n  reads: {file: reads.json, path: count, type: count}\nmeasures:\n  read_notes: reads >= 1\n",
            ),
            (
                "  gold: {role: secondary, per_arm: share(touched_gold)}",
                "  manipulated: {role: manipulation-check, per_arm: count(read_notes)}",
            ),
        )
        == []
    )


@pytest.mark.parametrize(
    "condition",
    [
        "solved.discordant >= 6 tasks",
        "solved.lower > -40 pp",
        "cost_per_solved.arm(notes) < cost_per_solved.arm(baseline) * 95 %",
        "solved.count(notes) >= 1 task or solved.count(baseline) >= 1 task",
        "known(cost.p) and cost.p < 0.05",
        "gold.arm(notes) in 10 %..90 %",
        "solved.estimate >= 5 pp",
        "not solved.upper < 0",
    ],
)
def test_conditions_that_can_go_either_way(condition: str) -> None:
    found = check_loaded(world.loaded(world.edited((LAST, f"    - {condition}"))))
    assert {each.code for each in found} <= {"P357"}  # nothing reads the co-primary endpoint any more


def test_an_existence_claim_on_one_task() -> None:
    assert (
        errors(
            ("take: 8", "take: 1"),
            ("    - cost.p < 0.05\n    - relative_cost.upper < 0\n", ""),
            (LAST, "    - solved.count(notes) >= 1 task"),
            ("  gold: {role: secondary, per_arm: share(touched_gold)}\n", ""),
        )
        == []
    )


def test_a_corrected_family_may_offer_a_choice() -> None:
    assert (
        errors(
            ("    - cost.p < 0.05", "    - cost.p < 0.05 or solved.p < 0.05"),
            ("decision:\n", "decision:\n  family: {members: [cost, solved], correction: holm}\n"),
        )
        == []
    )


def test_a_sequence_may_offer_a_choice_too() -> None:
    assert (
        errors(
            ("    - cost.p < 0.05", "    - cost.p < 0.05 or solved.p < 0.05"),
            ("decision:\n", "decision:\n  family: {members: [solved, cost], correction: fixed-sequence}\n"),
        )
        == []
    )


def test_a_whole_agent_may_be_the_difference() -> None:
    assert (
        errors(
            (
                "  notes: {provider: {kind: files, write: {NOTES.md: notes.md}}}",
                '  notes: {agent: {version: "2.0", model: small-model, run: [other, "{prompt}"]}}',
            ),
            ("single_difference: provider", "single_difference: agent"),
        )
        == []
    )


def test_a_repeated_arm_shows_the_noise() -> None:
    assert (
        errors(
            (
                "  baseline: {provider: {kind: none}}\n",
                "  again: {repeats: baseline}\n  baseline: {provider: {kind: none}}\n",
            ),
            (
                "  gold: {role: secondary, per_arm: share(touched_gold)}",
                (
                    "  noise:\n    role: noise-floor\n    measure: solved\n    per_task: majority\n    compare: again - baseline\n"
                    "    interval: {kind: newcombe-paired, level: 0.95}"
                ),
            ),
            (LAST, "    - solved.discordant > noise.discordant"),
        )
        == []
    )


def test_a_smoke_run_needs_no_reachable_claim() -> None:
    assert errors(("stage: pilot", "stage: smoke"), ("take: 8", "take: 2"), ("seeds: 3", "seeds: 1")) == []


@pytest.mark.parametrize(
    ("baseline", "notes"),
    [
        ("{provider: {kind: none}}", "{flags: [--fast]}"),
        ("{flags: [--fast, --effort=low]}", "{flags: [--fast, --effort, high]}"),
        ("{flags: [--keep, a, b]}", "{flags: [--keep, a, c]}"),
    ],
)
def test_one_flag_that_differs_or_its_value(baseline: str, notes: str) -> None:
    found = errors(
        ("  baseline: {provider: {kind: none}}", f"  baseline: {baseline}"),
        ("  notes: {provider: {kind: files, write: {NOTES.md: notes.md}}}", f"  notes: {notes}"),
        ("single_difference: provider", "single_difference: flag"),
    )
    assert found == []


def test_a_ratio_over_attempts_counts_each_trial_once() -> None:
    gold = "  gold: {role: secondary, per_arm: sum(cost) / count(solved), over: attempts}"
    assert errors(("  gold: {role: secondary, per_arm: share(touched_gold)}", gold)) == []
