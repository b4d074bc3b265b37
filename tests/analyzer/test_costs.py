"""Unknown costs: never nothing, in no sum without being counted beside it, and set against no measured one."""

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from analyzer.verdict_file import plain
from compiler.plan import AnalysisPlan, EndpointPlan, MissingPlan
from tests.analyzer.runs import Shot, Shots, judged, lines_of, plan_of, records_of
from tests.analyzer.test_report import written

UNSAID = {"cost": "the agent states no cost"}
BOTH_SHOWN = EndpointPlan(
    name="each_cost", role="secondary", unit="USD", measure="cost", per_task="only", show="each-task"
)
SUM = EndpointPlan(name="spent", role="secondary", unit="USD", per_arm="sum(cost)")


def plan(tasks: int = 6) -> AnalysisPlan:
    found = plan_of(
        tasks=tasks, seeds=1, routes={"cost": "provider-usage", "time": "harness-bracket", "prices": "sha256:p"}
    )
    return replace(found, endpoints=(*found.endpoints, BOTH_SHOWN, SUM))


def without(*trials: str) -> Shots:
    """Everything solved for 0.5 USD; some trials do not know what they cost."""

    def shot(task: str, arm: str, seed: int) -> Shot:
        unknown = f"{task}/{arm}/{seed}" in trials or arm in trials
        return Shot(cost=None if unknown else "0.5", reasons=UNSAID if unknown else {})

    return shot


def rows(report: str, heading: str) -> dict[str, list[str]]:
    """The rows of a table by their first cell."""
    _, _, after = report.partition(f"**{heading}")
    after = re.split(r"\n\n\*\*|\n## ", after, maxsplit=1)[0]
    lines = [line for line in after.splitlines() if line.startswith("|")][2:]
    return {line.split(" | ")[0].strip("| `"): [each.strip("| `") for each in line.split(" | ")[1:]] for line in lines}


def test_known_costs_are_compared_and_nothing_is_left_unsaid() -> None:
    verdict = judged(plan(), lines_of(plan(), without()))
    assert verdict.not_compared == {}
    assert verdict.routes["cost"] == "provider-usage"
    report = written(plan(), records_of(plan(), without()))
    assert "Cost by one route in every arm, provider-usage: what the provider's answers say they used" in report
    assert rows(report, "Known costs of every attempt")["baseline"] == [
        "6 of 6 attempts",
        "3 USD over 6 attempts",
        "none is unknown",
    ]
    assert {each[0] for each in rows(report, "What stands on costs").values()} == {"yes"}


def test_some_unknown_costs_hide_behind_no_total_ratio_or_rank() -> None:
    shots = without("t02/neuralmind/1")
    verdict = judged(plan(), lines_of(plan(), shots))
    why = "neuralmind is unknown on 1 trial (the agent states no cost); a measured and an unknown cost are neither"
    costly = {"cost", "relative_cost", "cost_per_solved", "each_cost", "spent"}
    assert set(verdict.not_compared) == costly
    assert all(why in each for each in verdict.not_compared.values())
    assert plain(verdict)["not_compared"] == verdict.not_compared
    for name in ("cost", "relative_cost"):
        values = verdict.endpoints[name].values
        assert values["estimate"] is None
        assert (values["n"], values["unknown"]) == (5, 1)
    for name in ("cost_per_solved", "spent"):
        arms = verdict.endpoints[name].values["arms"]
        assert isinstance(arms, Mapping)
        assert arms["neuralmind"] is None
        assert arms["baseline"] is not None
    assert verdict.status == "no_verdict"
    report = written(plan(), records_of(plan(), shots))
    known = rows(report, "Known costs of every attempt")["neuralmind"]
    assert known == [
        "5 of 6 attempts",
        "2.5 USD over 5 attempts; 1 of unknown cost not in it",
        "1: the agent states no cost",
    ]
    # Wherever the sum of that arm stands, the count of what is not in it stands in the same row.
    for line in report.splitlines():
        if line.startswith("| neuralmind") and re.search(r"\b2\.5 USD", line):
            assert re.search(r"1 unknown|1 of unknown|\| 1 \|", line), line


@pytest.mark.parametrize("unknown", [("neuralmind",), ("neuralmind", "baseline")])
def test_one_measured_arm_alone_is_set_beside_nothing(unknown: tuple[str, ...]) -> None:
    verdict = judged(plan(), lines_of(plan(), without(*unknown)))
    assert set(verdict.not_compared) >= {"cost", "each_cost", "spent"}
    report = written(plan(), records_of(plan(), without(*unknown)))
    only = "only baseline has a measured cost" if len(unknown) == 1 else "no arm has a measured cost"
    assert f"There is no comparison of costs: {only}" in report
    assert all(each[1] == "not compared" for each in rows(report, "Known costs of every attempt").values())
    assert rows(report, "Each arm by itself")["spent"] == ["secondary", "not compared", "not compared"]
    assert "each_cost, task by task" not in report
    assert [each[6:8] for each in rows(report, "Each arm**").values()] == [["not compared"] * 2] * 2


def test_a_registered_rule_that_covers_them_leaves_pairs_out_with_their_count() -> None:
    covering = replace(plan(), missing=(MissingPlan(rule="no_cost", when="not known(cost)", exclude="pair"),))
    verdict = judged(covering, lines_of(covering, without("t02/neuralmind/1")))
    assert verdict.not_compared == {}
    values = verdict.endpoints["cost"].values
    assert (values["n"], values["left_out"], values["estimate"]) == (5, 1, 0.0)


def test_what_was_estimated_stands_beside_what_it_came_to() -> None:
    told = {"most_usd": "24", "most_s": "14400", "usd": "2..15", "s": "3600..7200"}
    report = written(replace(plan(), estimate=told), records_of(plan(), without("t02/neuralmind/1")))
    found = rows(report, "What it was to take, and took")
    assert found["money"] == ["24 USD", "2 USD to 15 USD", "5.5 USD, and 1 attempt of unknown cost not in it"]
    assert found["time"][:2] == ["4 h", "1 h to 2 h"]
    assert "estimated by the author before the run" in report
    bare = written(replace(plan(), estimate={"most_s": "60"}), records_of(plan(), without()))
    assert rows(bare, "What it was to take, and took")["money"][:2] == [
        "no limit is registered",
        "no estimate is registered",
    ]


def test_a_lost_attempt_of_unknown_cost_makes_a_sum_over_attempts_incomparable() -> None:
    spent = replace(SUM, over="attempts")
    found = replace(plan(), endpoints=(*plan_of().endpoints, spent))

    def shot(task: str, arm: str, seed: int) -> list[Shot]:
        lost = Shot(rule="harness_failure", ended="no-result", cost=None, more={"result_event": False})
        return [lost, Shot(cost="0.5")] if (task, arm) == ("t03", "baseline") else [Shot(cost="0.5")]

    verdict = judged(found, lines_of(found, shot))
    assert set(verdict.not_compared) == {"spent"}
    assert verdict.not_compared["spent"].startswith(
        "only neuralmind is measured throughout: baseline is unknown on 1 trial (a lost attempt does not say)"
    )
