"""The picture of the endpoints says what the tables say: a dot for every task, and no interval that is not written."""

import re
from dataclasses import replace

from analyzer.figures.estimates import estimates
from analyzer.figures.gauges import decision
from analyzer.verdict import Estimate, Shown
from tests.analyzer.runs import Shot, cheaper, judged, lines_of, plan_of, records_of
from tests.analyzer.test_report import written

SOLVED: dict[str, Shown] = {"n": 4, "estimate": -0.5, "lower": -0.85, "upper": 0.1}


def dots(found: list[float]) -> set[str]:
    tasks = {f"t{place}": {"difference": each} for place, each in enumerate(found)}
    values: dict[str, Shown] = {"n": len(found), "estimate": 0.1}
    (figure,) = estimates([Estimate(name="cost", role="primary", unit="USD", values=values, tasks=tasks)])
    return set(re.findall(r"<use [^>]*?(x=\"[^\"]*\" y=\"[^\"]*\")[^>]*opacity", figure.draw().replace("fill-", "")))


def test_tasks_of_one_value_all_stand_in_its_pile() -> None:
    assert len(dots([0.0] * 24 + [1.0])) == 25
    assert len(dots([place / 7 for place in range(100)])) == 100, "many that lie close together are parted"


def test_few_tasks_carry_no_interval_of_a_share_in_a_picture_either() -> None:
    few = Estimate(name="solved", role="primary", unit="pp", values=SOLVED)
    (figure,) = estimates([few])
    assert figure.says == "solved: estimate -0.5 (fraction), no interval, 4 tasks."
    assert "var(--mark)" in figure.draw()
    enough = replace(few, values={**SOLVED, "n": 6})
    (wider,) = estimates([enough])
    assert "interval -85.0 pp to +10.0 pp" in wider.says
    assert wider.draw().count("var(--mark)") > figure.draw().count("var(--mark)")


def test_amounts_task_by_task_carry_their_unit() -> None:
    plan = plan_of(tasks=6, seeds=1)
    cost = replace(plan.endpoints[0], name="each", compare=None, test=None, per_task="only", show="each-task")
    plan = replace(plan, endpoints=(*plan.endpoints, cost))
    assert "| t01 | 1.5 USD | 1.5 USD |" in written(plan, records_of(plan, lambda *_: Shot(cost="1.5")))


def test_a_picture_of_the_rule_says_that_it_does_not_hold_all_of_it() -> None:
    plan = plan_of(tasks=6, seeds=1)
    verdict = judged(plan, lines_of(plan, cheaper))
    (whole,) = decision(verdict)
    assert "stand in the table" not in whole.title
    unknown = judged(plan, lines_of(plan, lambda *_: Shot(more={"cost": None}, reasons={"cost": "nobody said"})))
    (part,) = decision(unknown)
    assert part.title.endswith("; the other conditions stand in the table")


def test_counts_of_tasks_stand_on_a_scale_of_whole_tasks() -> None:
    plan = plan_of(tasks=6, seeds=1)
    plan = replace(plan, decision=replace(plan.decision, supported_when=("solved.count(neuralmind) >= 1 task",)))
    (figure,) = decision(judged(plan, lines_of(plan, lambda task, *_: Shot(solved=task == "t01"))))
    marks = re.findall(r">([0-9.]+)</text>", figure.draw())
    assert marks
    assert all("." not in each for each in marks), marks
