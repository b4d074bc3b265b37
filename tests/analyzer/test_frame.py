"""The frame: one row a planned trial, in exact numbers, and nothing that does not belong."""

from dataclasses import replace
from fractions import Fraction

import pytest

from analyzer.frame import Row, frame
from analyzer.gather import SHOWN
from compiler.plan import AnalysisPlan, CollectPlan, MissingPlan
from ledger.errors import IntegrityFault
from ledger.plain import Plain
from ledger.records import Judgment, Record
from tests.analyzer.runs import Shot, chained, cheaper, judged, lines_of, plan_of, records_of, trials_of


def rows(plan: AnalysisPlan, records: list[Record]) -> dict[str, Row]:
    return {row.trial.id: row for row in frame(plan, chained(records), trials_of(plan)).rows}


def test_rows_stand_in_the_order_of_the_plan_and_not_of_the_run() -> None:
    plan = plan_of(tasks=2, seeds=2)
    assert list(rows(plan, records_of(plan, cheaper)))[:5] == [
        "t01/baseline/1",
        "t01/baseline/2",
        "t01/neuralmind/1",
        "t01/neuralmind/2",
        "t02/baseline/1",
    ]


def test_numbers_are_those_that_were_written() -> None:
    plan = plan_of(tasks=1, seeds=1)
    facts = rows(plan, records_of(plan, lambda task, arm, seed: Shot(cost="0.1", more={"tokens": 2**53 - 1})))[
        "t01/baseline/1"
    ].facts
    assert facts["cost"] == Fraction(1, 10)
    assert facts["time"] == Fraction(123, 2)
    assert facts["tokens"] == 2**53 - 1
    assert facts["limits.cost"] == 2
    assert facts["seed"] == 1
    assert (facts["verdict"], facts["stop"], facts["judgment"]) == ("pass", "finished", "unjudged")


def test_the_last_judgment_counts_and_all_are_remembered() -> None:
    plan = plan_of(tasks=2, seeds=1, measures={"solved": 'judgment == "success" and verdict == "pass"'})
    records = records_of(plan, cheaper)
    first = Judgment(trial="t01/baseline/1", judgment="failure", who="a")
    second = Judgment(trial="t01/baseline/1", judgment="success", who="a", reason="read again")
    rest = [
        Judgment(trial=each.id, judgment="failure", who="a")
        for each in trials_of(plan)
        if each.id not in (first.trial, "t02/neuralmind/1")
    ]
    assert judged(plan, chained([*records, first, second, *rest])).endpoints["solved"].values["counts"] is None
    rest.append(Judgment(trial="t02/neuralmind/1", judgment="failure", who="a"))
    verdict = judged(plan, chained([*records, first, second, *rest]))
    assert verdict.endpoints["solved"].values["counts"] == {"baseline": 1, "neuralmind": 0}
    assert any("judged more than once" in each for each in verdict.warnings)
    for code, forged in (
        ("foreign", [*records, Judgment(trial="x/baseline/1", judgment="success", who="a")]),
        ("overwritten", [*records, first, replace(second, reason=None)]),
        ("judged-early", [records[0], first, *records[1:]]),
    ):
        with pytest.raises(IntegrityFault) as refused:
            judged(plan, chained(forged))
        assert [each.code for each in refused.value.reasons] == [code]


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [("count", 3, "three"), ("count", "2.5", -1), ("bool", True, 1), ("text", "x", 1)],
)
def test_collected_facts_are_of_their_kind(kind: str, good: Plain, bad: Plain) -> None:
    plan = plan_of(tasks=1, seeds=1, collect={"hooks": CollectPlan(file="h.json", path="hooks", type=kind)})  # type: ignore[arg-type]
    read = rows(plan, records_of(plan, lambda task, arm, seed: Shot(more={"hooks": good})))["t01/baseline/1"]
    assert read.facts["hooks"] == (Fraction(good) if kind == "count" else good)  # type: ignore[arg-type]
    with pytest.raises(IntegrityFault):
        rows(plan, records_of(plan, lambda task, arm, seed: Shot(more={"hooks": bad})))


def test_a_failed_manipulation_check_is_a_harness_failure() -> None:
    """Hooks that did not run in the treated arm: retried, and a gap once the retries are used up."""
    plan = plan_of(
        tasks=2,
        seeds=1,
        collect={"hooks": CollectPlan(file="h.json", path="hooks", type="count")},
        measures={"solved": 'verdict == "pass"', "hooks_ran": "hooks >= 1"},
        missing=(MissingPlan(rule="not_manipulated", when='arm == "neuralmind" and not hooks_ran', retry=1),),
    )

    def shots(task: str, arm: str, seed: int) -> list[Shot]:
        idle = Shot(rule="not_manipulated", more={"hooks": 0})
        return (
            [idle, idle]
            if (task, arm) == ("t02", "neuralmind")
            else [Shot(more={"hooks": 0 if arm == "baseline" else 4})]
        )

    verdict = judged(plan, lines_of(plan, shots, t02__neuralmind__1="not_manipulated"))
    assert verdict.status == "no_verdict"
    assert list(verdict.gaps) == ["t02/neuralmind/1"]


def test_many_faults_of_one_kind_are_counted() -> None:
    plan = plan_of(tasks=20, seeds=3)
    with pytest.raises(IntegrityFault) as refused:
        judged(plan, lines_of(plan, lambda task, arm, seed: Shot(cost="NaN")))
    assert len(refused.value.reasons) == SHOWN + 1
    assert refused.value.reasons[-1].what == f"and {120 - SHOWN} more like these"


def test_a_doubled_claim_and_a_doubled_end_are_refused() -> None:
    plan = plan_of(tasks=1, seeds=1)
    records = records_of(plan, cheaper)
    for doubled in (records[1], records[2]):
        with pytest.raises(IntegrityFault) as refused:
            judged(plan, chained([*records[:3], doubled, *records[3:]]))
        assert refused.value.reasons[0].code == "doubled"


def test_costs_of_lost_attempts_are_spent_too() -> None:
    plan = plan_of(tasks=1, seeds=1)
    lost = [Shot(cost="0.25", rule="harness_failure"), Shot(cost=None, rule="harness_failure"), Shot(cost="0.5")]
    row = rows(plan, records_of(plan, lambda task, arm, seed: lost))["t01/baseline/1"]
    assert row.spent == (Fraction(1, 4), None, Fraction(1, 2))
    assert row.attempts == 3


def test_an_arm_without_limits_knows_none() -> None:
    plan = replace(plan_of(tasks=1, seeds=1), limits={})
    assert "limits.cost" not in rows(plan, records_of(plan, cheaper))["t01/baseline/1"].facts
