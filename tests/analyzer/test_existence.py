"""Few tasks: each instance with its verdict and what exists, no percentage, no average, no ranking; what nothing scored is listed."""

import re
from dataclasses import replace

from compiler.plan import DecisionPlan, EndpointPlan
from ledger.records import EarlierRun, Opened, Outcome, Record
from tests.analyzer.runs import Shot, judged, lines_of, plan_of, records_of
from tests.analyzer.test_costs import rows
from tests.analyzer.test_report import written

SOLVED = EndpointPlan(
    name="migration", role="primary", unit="share", measure="solved", per_task="only", show="each-task"
)
EXISTS = DecisionPlan(
    claim="Some tool solves it",
    supported_when=("migration.count(baseline) >= 1 or migration.count(neuralmind) >= 1",),
    wording={"supported": "existence shown", "not_supported": "not shown", "no_verdict": "incomplete"},
)
FEW = replace(
    plan_of(tasks=3, seeds=1),
    endpoints=(SOLVED,),
    decision=EXISTS,
    unscored={"maintainability": "no checker tells a clean fix from a mess"},
    accommodations={"baseline": (), "neuralmind": ("a pseudo-terminal",)},
)


def shot(task: str, arm: str, seed: int) -> Shot | list[Shot]:
    if (task, arm) == ("t03", "neuralmind"):
        return Shot(rule="harness_failure", ended="no-result", more={"result_event": False})
    verdict = {"t01": "pass", "t02": "partial"}.get(task, "fail") if arm == "baseline" else "fail"
    fine = Shot(solved=verdict == "pass", verdict=verdict)
    lost = Shot(rule="harness_failure", ended="error", more={"result_event": False})
    return [lost, fine] if (task, arm) == ("t02", "neuralmind") else fine


def records() -> list[Record]:
    return records_of(FEW, shot, t03__neuralmind__1="harness_failure")


def test_each_instance_has_its_verdict_and_what_passed_exists() -> None:
    report = written(FEW, records())
    assert rows(report, "Each instance") == {
        "t01": ["fixes", "PASS", "FAIL"],
        "t02": ["fixes", "PARTIAL", "FAIL"],
        "t03": ["fixes", "FAIL", "INFRASTRUCTURE"],
    }
    assert "baseline solved this instance: t01" in report
    assert "PARTIAL is not half of PASS" in report
    assert report.count("solved this instance") == 1


def test_no_percentage_average_or_ranking_stands_anywhere() -> None:
    report = written(FEW, records())
    assert not re.search(r"\d\s?%", re.sub(r"sha256:\w+", "", report).replace("95 %", "")), report
    for word in ("pass@1", "(fraction)", "regressed", "improved", "Regressions"):
        assert word not in report
    assert "3 tasks carry no percentage, no average and no ranking of arms" in report
    assert rows(report, "Each arm by itself")["migration"][1:] == [
        "1 of 3",
        "unknown; of the known trials 0 with a yes",
    ]


def test_an_attempt_that_the_world_failed_is_a_deviation_where_it_was_run_again() -> None:
    report = written(FEW, records())
    found = rows(report, "Trials that took more than one attempt")
    assert found == {"t02/neuralmind/1": ["1", "INFRASTRUCTURE", "rule harness_failure: lost"]}


def test_a_retry_of_what_used_up_its_limits_is_no_failure_of_the_world() -> None:
    def timed_out(task: str, arm: str, seed: int) -> list[Shot]:
        spent = Shot(rule="harness_failure", ended="timeout", more={"result_event": False})
        return [spent] * 2 if (task, arm) == ("t01", "baseline") else [Shot()]

    report = written(FEW, records_of(FEW, timed_out, t01__baseline__1="harness_failure"))
    assert rows(report, "Each instance")["t01"] == ["fixes", "USED UP ITS LIMITS", "PASS"]
    assert "1 trial tried again after an attempt that used up its limits" in report
    assert "a retry of a result" in rows(report, "Trials that took more than one attempt")["t01/baseline/1"][2]


def test_what_nothing_scores_and_what_arms_were_granted_is_listed() -> None:
    opened, *rest = records()
    assert isinstance(opened, Opened)
    line = ("tool", "--print", "{prompt}")
    report = written(FEW, [replace(opened, commands={"baseline": line}), *rest])
    assert rows(report, "Dimensions without an oracle") == {
        "maintainability": ["no checker tells a clean fix from a mess"]
    }
    assert rows(report, "Command lines and accommodations") == {
        "baseline": ["tool --print {prompt}", "none"],
        "neuralmind": ["not recorded", "a pseudo-terminal"],
    }


def test_a_second_run_of_a_registration_is_a_retry_and_says_so() -> None:
    opened, *rest = records()
    assert isinstance(opened, Opened)
    first = EarlierRun(run="first", registration="0001", head="sha256:1", outcomes=6)
    other = replace(first, run="older", registration="0000")
    report = written(FEW, [replace(opened, earlier=(first, other)), *rest])
    assert "RETRY EXPERIMENT: this is run 2 of 0001, after first with 6 outcomes" in report
    assert rows(report, "Runs of this experiment before this one") == {
        "first": ["0001", "6", "sha256:1"],
        "older": ["0000", "6", "sha256:1"],
    }
    assert "RETRY" not in written(FEW, [replace(opened, earlier=(other, replace(first, outcomes=0))), *rest])


def test_exactly_the_registered_dimensions_are_judged() -> None:
    lines = lines_of(FEW, shot, t03__neuralmind__1="harness_failure")
    assert any(isinstance(line.record, Outcome) and "turns" in line.record.measures for line in lines)
    assert set(judged(FEW, lines).endpoints) == {"migration"}
