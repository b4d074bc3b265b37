"""Endpoints over attempts: no request that failed drops out of a sum, and nothing unknown is passed over."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.evidence import evidence
from analyzer.simulated_ledger import ledger, stage
from analyzer.verdict import Verdict
from compiler.plan import AnalysisPlan, EndpointPlan, MissingPlan
from compiler.simulation import Profile
from ledger.records import Judgment, Outcome, Record
from tests.analyzer.runs import ENDPOINTS, RULES, Shot, Shots, chained, judged, plan_of, records_of, trials_of

CORRECT = {"correct": 'judgment == "success" and verdict == "pass"'}


def over(name: str, expression: str, unit: str = "USD") -> EndpointPlan:
    return EndpointPlan(name=name, role="secondary", unit=unit, per_arm=expression, over="attempts")


MORE = (
    over("spend", "sum(cost)"),
    over("per_correct", "sum(cost) / count(correct)"),
    over("unknown_billing", "count(not known(cost))", "count"),
    over("correct", "count(correct)", "count"),
)


def plan(**changes: object) -> AnalysisPlan:
    given_ = {"tasks": 2, "seeds": 1, "measures": {"solved": 'verdict == "pass"', **CORRECT}}
    return plan_of(**{**given_, "endpoints": (*ENDPOINTS, *MORE), **changes})  # type: ignore[arg-type]


def said(of: AnalysisPlan, shots: Shots, *, judgment: str = "success", unjudged: Sequence[str] = ()) -> Verdict:
    records: list[Record] = records_of(of, shots)
    judgments = [
        Judgment(trial=each.id, judgment=judgment, who="a")  # type: ignore[arg-type]
        for each in trials_of(of)
        if each.id not in unjudged
    ]
    return judged(of, chained([*records, *judgments]))


def arms(verdict: Verdict, name: str) -> object:
    return verdict.endpoints[name].values["arms"]


LOST = Shot(cost="0.5", rule="harness_failure", ended="no-result", more={"result_event": False})


def test_the_cost_of_lost_attempts_stays_in_the_sum_and_a_trial_is_counted_once() -> None:
    def shots(task: str, arm: str, seed: int) -> Shot | list[Shot]:
        return [LOST, LOST, Shot(cost="2")] if (task, arm) == ("t01", "neuralmind") else Shot(cost="1")

    verdict = said(plan(), shots)
    assert arms(verdict, "spend") == {"baseline": 2.0, "neuralmind": 4.0}
    assert arms(verdict, "correct") == {"baseline": 2, "neuralmind": 2}
    assert arms(verdict, "per_correct") == {"baseline": 1.0, "neuralmind": 2.0}
    assert verdict.endpoints["spend"].values["attempts"] == {"baseline": 2, "neuralmind": 4}
    assert verdict.endpoints["spend"].values["trials"] == {"baseline": 2, "neuralmind": 2}


def test_an_attempt_of_unknown_cost_makes_the_sum_unknown_and_is_counted() -> None:
    def shots(task: str, arm: str, seed: int) -> Shot | list[Shot]:
        unknown = Shot(cost=None, rule="lost", ended="no-result")
        return [unknown, Shot(cost="2")] if (task, arm) == ("t01", "neuralmind") else Shot(cost="1")

    verdict = said(plan(), shots)
    found = verdict.endpoints["per_correct"]
    assert found.values["arms"] == {"baseline": 1.0, "neuralmind": None}
    assert found.reasons == {"neuralmind": "cost is unknown on 1 of 3 attempts"}
    assert found.values["known"] == {
        "arms": {"neuralmind": 1.5},
        "attempts": {"neuralmind": 2},
        "trials": {"neuralmind": 2},
    }
    assert arms(verdict, "unknown_billing") == {"baseline": 0, "neuralmind": 1}


def test_a_trial_that_passes_and_nobody_judged_leaves_the_count_unknown() -> None:
    verdict = said(plan(), lambda *_: Shot(cost="1"), unjudged=["t02/baseline/1"])
    found = verdict.endpoints["per_correct"]
    assert found.values["arms"] == {"baseline": None, "neuralmind": 1.0}
    assert found.reasons == {"baseline": "correct is unknown on 1 of 2 trials"}

    def fails(task: str, arm: str, seed: int) -> Shot:
        return Shot(cost="1", solved=(task, arm) != ("t02", "baseline"))

    # Where the checks fail, no judgment could make it correct.
    verdict = said(plan(), fails, unjudged=["t02/baseline/1"])
    assert arms(verdict, "per_correct") == {"baseline": 2.0, "neuralmind": 1.0}


def test_trials_that_a_rule_excludes_still_cost_what_they_cost() -> None:
    rule = MissingPlan(rule="cancelled", when='stop == "cancelled"', exclude="trial")

    def shots(task: str, arm: str, seed: int) -> Shot:
        return Shot(cost="3", ended="cancelled") if (task, arm) == ("t01", "baseline") else Shot(cost="1")

    verdict = said(plan(missing=(rule, *RULES)), shots)
    assert arms(verdict, "spend") == {"baseline": 4.0, "neuralmind": 2.0}
    assert arms(verdict, "correct") == {"baseline": 1, "neuralmind": 2}


def test_a_gap_costs_what_its_attempts_cost_and_leaves_results_unknown() -> None:
    of = plan()

    def shots(task: str, arm: str, seed: int) -> list[Shot]:
        return [LOST] * 6 if (task, arm) == ("t01", "baseline") else [Shot(cost="1")]

    gap = "t01/baseline/1"
    records = records_of(of, shots, t01__baseline__1="harness_failure")
    judgments = [Judgment(trial=each.id, judgment="success", who="a") for each in trials_of(of) if each.id != gap]
    verdict = judged(of, chained([*records, *judgments]))
    assert arms(verdict, "spend") == {"baseline": 4.0, "neuralmind": 2.0}
    assert arms(verdict, "per_correct") == {"baseline": None, "neuralmind": 1.0}
    assert verdict.endpoints["per_correct"].reasons == {"baseline": "1 of 2 trials have no outcome"}


@given(
    lost=st.lists(st.sampled_from([None, "0.1", "0.25", "7"]), max_size=4),
    last=st.sampled_from([None, "0.3", "2"]),
)
def test_law_a_sum_over_attempts_is_the_sum_of_all_costs_or_unknown(lost: list[str | None], last: str | None) -> None:
    def shots(task: str, arm: str, seed: int) -> list[Shot]:
        return [*(Shot(cost=each, rule="lost", ended="no-result") for each in lost), Shot(cost=last)]

    verdict = said(plan(tasks=1), shots)
    costs = [*lost, last]
    whole = None if None in costs else float(sum(Fraction(each) for each in costs if each is not None))
    assert arms(verdict, "spend") == pytest.approx({"baseline": whole, "neuralmind": whole})
    unknown = costs.count(None)
    assert arms(verdict, "unknown_billing") == {"baseline": unknown, "neuralmind": unknown}
    summary = verdict.arms["baseline"]
    assert (summary.attempts, summary.cost_unknown) == (len(costs), unknown)


def test_a_simulated_judge_finds_what_the_checks_find() -> None:
    of = plan(tasks=6)
    profiles = {"baseline": Profile(solve=Decimal("0.5")), "neuralmind": Profile(solve=Decimal(1))}
    lines = ledger(stage(of), profiles, 1)
    judgments = {each.record.trial: each.record.judgment for each in lines if isinstance(each.record, Judgment)}
    verdicts = {each.record.trial: each.record.verdict for each in lines if isinstance(each.record, Outcome)}
    assert judgments == {trial: "success" if verdict == "pass" else "failure" for trial, verdict in verdicts.items()}
    found = evidence(of, lines, stage(of).trials)
    assert all(each.values["correct"] is (each.values["verdict"] == "pass") for each in found.settled)
    bare = plan_of(tasks=2)
    assert not [each for each in ledger(stage(bare), profiles, 1) if each.kind == "judgment"]
