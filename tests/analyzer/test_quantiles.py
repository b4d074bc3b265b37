"""A page says one median, one mean and one quartile of an amount: those that the calculator works out of its decimals."""

import json

from hypothesis import example, given
from hypothesis import strategies as st

from analyzer.quantiles import average, middle, quantile
from analyzer.report import NUMBERS, page
from stats.number import exact
from stats.summary import summary
from tests.analyzer.runs import Shot, plan_of, records_of
from tests.analyzer.test_report import document

AMOUNTS = st.lists(st.integers(0, 10**7).map(lambda each: each / 10_000), min_size=1, max_size=60)


@given(AMOUNTS)
@example([0.2246, 0.2287])  # whose doubles lie a hair above 0.22665 in the middle
def test_they_are_those_of_the_decimals(amounts: list[float]) -> None:
    found, ordered = summary([exact(each) for each in amounts]), sorted(amounts)
    assert middle(ordered) == float(found.median)
    assert average(amounts) == float(found.mean)
    assert quantile(ordered, 0.25) == float(found.lower_quartile)
    assert quantile(ordered, 0.75) == float(found.upper_quartile)


def test_every_median_of_a_report_is_that_of_its_command() -> None:
    plan = plan_of(tasks=7, seeds=2)
    shown = page(
        document(
            plan, records_of(plan, lambda task, arm, seed: Shot(cost=f"0.{2000 + len(arm) * int(task[1:]) * seed}"))
        )
    )
    sections = {each.id: each for each in shown.sections}
    spread = sections["course"].figures[0]
    told = {(row[0].text, row[1].text): row[4].text for row in spread.tables[0].rows}
    each_arm = next(each for each in sections["rates"].tables if each.caption == "Each arm")
    place = each_arm.columns.index("median cost")
    lines = {(said := json.loads(line))["of"]: said["inputs"] for line in shown.numbers}
    for row in each_arm.rows:
        arm = row[0].text
        median = f"{float(summary([exact(each) for each in lines[f'spread of cost in {arm}']['x']]).median):.4g} USD"
        assert told["cost", arm] == row[place].text == median, NUMBERS
        assert f"{arm} {median}" in spread.says
