"""Not worse by more than a margin, and equivalent within one: conditions over an interval's ends, decided as the tests decide."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.verdict import Verdict
from compiler.plan import AnalysisPlan, Chosen
from stats.noninferiority import newcombe_equivalence, newcombe_noninferiority
from stats.proportions import PairedCounts
from tests.analyzer.runs import Shot, judged, lines_of, plan_of
from tests.compiler.checks.test_allowed import LAST, errors

NEWCOMBE = Chosen(kind="newcombe-paired", options={"level": "0.9"})
"""An interval at 90 % has 5 % beyond each of its ends: the level of one one-sided test."""


def asking(tasks: int, *conditions: str) -> AnalysisPlan:
    plan = plan_of(tasks=tasks, seeds=1)
    cost, solved = plan.endpoints[:2]
    endpoints = (
        replace(cost, interval=Chosen(kind="hodges-lehmann", options={"level": "0.9"})),
        replace(solved, interval=NEWCOMBE),
    )
    return replace(
        plan, endpoints=endpoints, decision=replace(plan.decision, supported_when=conditions), sample_size={}
    )


def decided(plan: AnalysisPlan, treatment: str, baseline: str) -> Verdict:
    """Judge answers that are written as one character a task."""
    of = {"neuralmind": treatment, "baseline": baseline}
    return judged(plan, lines_of(plan, lambda task, arm, seed: Shot(solved=of[arm][int(task[1:]) - 1] == "y")))


@given(st.lists(st.sampled_from(["yy", "yn", "ny", "nn"]), min_size=12, max_size=40))
@settings(max_examples=25, deadline=None)
def test_a_margin_in_a_rule_decides_as_the_test_of_it(answers: list[str]) -> None:
    treatment, baseline = ("".join(each) for each in zip(*answers, strict=True))
    counts = PairedCounts(**{f"n{i}{j}": answers.count("ny"[i] + "ny"[j]) for i in (0, 1) for j in (0, 1)})
    loss = decided(asking(len(answers), "solved.lower > -15 pp"), treatment, baseline)
    wanted = newcombe_noninferiority(counts, margin="0.15", alpha="0.05").noninferior
    assert loss.status == ("supported" if wanted else "not_supported")
    both = decided(asking(len(answers), "solved.lower > -20 pp", "solved.upper < 20 pp"), treatment, baseline)
    same = newcombe_equivalence(counts, margin="0.2", alpha="0.05")
    assert both.status == ("supported" if same else "not_supported")


@pytest.mark.parametrize(
    ("rise", "status"), [("0.02", "supported"), ("0.05", "not_supported"), ("0.06", "not_supported")]
)
def test_a_margin_of_money_is_held_against_an_exact_interval(rise: str, status: str) -> None:
    """Every task costs the same more, so that the interval is one point; at the margin itself nothing is shown."""
    plan = asking(8, "cost.upper < 0.05 USD")
    cost = {"baseline": Fraction(1), "neuralmind": 1 + Fraction(rise)}
    found = judged(plan, lines_of(plan, lambda task, arm, seed: Shot(cost=f"{float(cost[arm]):.2f}")))
    assert found.status == status
    assert found.conditions[0].values == {"cost.upper": float(rise)}


SHIFT = "    test: {kind: wilcoxon-signed-rank, alternative: less, zeros: wilcox}\n"


@pytest.mark.parametrize(
    ("condition", "codes"),
    [
        ("solved.lower > -40 pp and solved.upper < 40 pp", set()),
        ("solved.lower > -0.4", {"P233"}),
        ("solved.lower > -40 tasks", {"P233"}),
        ("cost.upper < 0.05 USD", set()),
        ("cost.upper < 0.05", {"P233"}),
        ("cost.upper < 5 pp", {"P233"}),
    ],
)
def test_a_margin_says_its_scale(condition: str, codes: set[str]) -> None:
    interval = SHIFT + "    interval: {kind: hodges-lehmann, level: 0.9}\n"
    found = errors((SHIFT, interval), (LAST, f"    - {condition}"))
    assert {each.split()[0] for each in found} == codes
