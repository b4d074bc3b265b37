"""What few tasks do not carry by any other name: a count that is multiplied, a ranking in two halves."""

from pathlib import Path

import pytest

from compiler.checks.carries import check_carries
from compiler.checks.subject import Subject
from spec_lang.load import load
from spec_lang.span import Source

SPEC = Path(__file__).parents[2] / "specs/outcome-frontier/spec.yaml"
RULE = "    - migration.count(first) >= 1 task or migration.count(second) >= 1 task\n"
TIME = "  time: {role: secondary, measure: time, per_task: only, show: each-task}\n"


def said(old: str, new: str) -> list[tuple[str, str]]:
    text = SPEC.read_text()
    assert old in text
    loaded = load(Source(name="spec.yaml", text=text.replace(old, new)))
    return [(each.code, each.summary) for each in check_carries(Subject(loaded=loaded))]


@pytest.mark.parametrize("scaled", ["count(solved) * 33.3", "33.3 % * count(solved)", "(count(solved) + 1) * 100"])
def test_a_count_is_not_multiplied(scaled: str) -> None:
    assert said(TIME, f"{TIME}  rate: {{role: secondary, per_arm: {scaled!r}}}\n") == [
        ("P364", "`rate` scales a count of 3 tasks")
    ]


def test_a_difference_of_counts_of_one_arm_is_a_count() -> None:
    assert said(TIME, f"{TIME}  rest: {{role: secondary, per_arm: count(solved) - count(not solved)}}\n") == []


@pytest.mark.parametrize(
    "rule",
    [
        "    - migration.count(first) >= 1 task\n    - migration.count(second) < 1 task\n",
        "    - migration.count(first) >= 1 task and not migration.count(second) >= 1 task\n",
        "    - 0 tasks < migration.count(first)\n    - migration.count(second) == 0 tasks\n",
        "    - migration.count(first) != 0 tasks\n    - 0 tasks >= migration.count(second)\n",
    ],
)
def test_one_and_not_the_other_is_a_ranking(rule: str) -> None:
    assert said(RULE, rule) == [("P319", "`first` and `second` are ranked over 3 tasks")]


@pytest.mark.parametrize(
    "rule",
    [
        "    - migration.count(first) == 1 task\n    - migration.count(second) > 0 tasks\n",
        "    - migration.count(first) == 0 tasks\n    - migration.count(second) == 0 tasks\n",
        "    - migration.count(first) >= 1 task\n    - brownfield.count(first) < 1 task\n",
    ],
)
def test_what_exists_of_each_arm_is_none(rule: str) -> None:
    assert said(RULE, rule) == []
