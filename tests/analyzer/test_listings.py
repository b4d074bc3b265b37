"""Long runs stay readable: Markdown shows the beginning of a listing, a page folds it, and no picture names more than it can."""

import re
from dataclasses import replace

from analyzer.document import facts
from analyzer.page import MOST_LISTED
from analyzer.sections.pairs import MOST_ROWS, pairs
from tests.analyzer.runs import Shot, cheaper, plan_of, records_of
from tests.analyzer.test_report import document, outline, rendered, written


def dearer(task: str, arm: str, seed: int) -> Shot:
    """Every task dearer than the one before, in the second arm by less."""
    return Shot(cost=f"{100 + int(task[1:]) * (2 if arm == 'baseline' else 1)}")


def section(text: str, heading: str) -> str:
    return text.partition(f"\n## {heading}")[2].partition("\n## ")[0]


def test_task_by_task_is_told_in_markdown_with_its_numbers() -> None:
    told = section(written(plan_of(tasks=8)), "Task by task")
    assert "cost on 8 tasks: neuralmind is lower than baseline on 8, higher on 0, the same on 0." in told
    assert "**cost: neuralmind - baseline, task by task**" in told
    assert "| task | neuralmind | baseline | neuralmind - baseline |" in told
    assert re.search(r"^\| t01 \| 0\.\d+ USD \| 1\.\d+ USD \| -0\.\d+ \|$", told, re.MULTILINE)
    spread = section(written(plan_of(tasks=8)), "Spread and order")
    assert "| cost | baseline | 1.08 USD |" in spread
    assert re.search(r"rank correlation with the place: cost: baseline [-0-9.]+, neuralmind [-0-9.]+; time: ", spread)


def test_many_tasks_keep_markdown_short_and_are_counted() -> None:
    tasks = MOST_LISTED + 30
    plan = plan_of(tasks=tasks)
    text = written(plan)
    told = section(text, "Task by task")
    assert f"cost on {tasks} tasks: neuralmind is lower" in told
    assert "| t01 |" not in told
    listed = section(text, "Every task, arm and seed")
    assert sum(line.startswith("| t") for line in listed.splitlines()) == MOST_LISTED + 1, "and the head of the table"
    assert "30 more rows stand in report.html." in listed
    assert "more rows" not in written(plan_of(tasks=MOST_LISTED, seeds=1))


def test_a_page_folds_long_listings_and_has_all_of_them() -> None:
    tasks = MOST_LISTED + 1
    html = rendered(plan_of(tasks=tasks))["report.html"]
    folded = re.findall(r'<details class="long">\s*<summary>(.*?)</summary>(.*?)</details>', html, re.DOTALL)
    matrix = next(body for title, body in folded if title.startswith("Outcomes"))
    assert len(re.findall(r'<th scope="row">', matrix)) == tasks
    assert any(title.startswith(f"Outcomes: {tasks} rows") for title, _ in folded)
    assert outline(html).open == []
    assert 'class="long"' not in rendered(plan_of(tasks=6))["report.html"]


def test_more_tasks_than_have_names_in_a_picture_are_drawn_in_order() -> None:
    for tasks, word in ((60, "both arms of every task"), (61, "on every task, in the order of the differences")):
        (figure, *_) = pairs(
            facts(document(plan_of(tasks=tasks, seeds=1), records_of(plan_of(tasks=tasks, seeds=1), cheaper)))
        ).figures
        assert word in figure.title
        assert f"cost on {tasks} tasks: neuralmind is lower than baseline on" in figure.says
    svg = figure.draw()
    assert "neuralmind lower on 61 tasks" in svg
    assert ">t01<" not in svg
    assert "The middle half of the differences lies from -2.8 USD to -0.77 USD." in figure.says


def test_a_listing_that_is_cut_says_so() -> None:
    plan = plan_of(tasks=MOST_ROWS + 1, seeds=1)
    plan = replace(
        plan,
        endpoints=plan.endpoints[:1],
        decision=replace(plan.decision, supported_when=("cost.p < 0.05",)),
        sample_size={},
    )
    known = facts(document(plan, records_of(plan, dearer)))
    (table,) = pairs(known).figures[0].tables
    assert table.caption.endswith(f"(the first {MOST_ROWS} of {MOST_ROWS + 1})")
    assert len(table.rows) == MOST_ROWS


def test_measures_that_are_not_drawn_are_named() -> None:
    plan = plan_of(tasks=6, seeds=1)
    names = ["tokens", "tool_calls", "tool_errors", "files_changed"]
    more = tuple(replace(plan.endpoints[4], name=name, measure=name) for name in names)
    plan = replace(plan, endpoints=(*plan.endpoints, *more))
    shown = records_of(plan, lambda task, *_: Shot(more=dict.fromkeys(names, int(task[1:]))))
    section = pairs(facts(document(plan, shown)))
    assert [each.id for each in section.figures] == [
        f"figure-tasks-{name}" for name in ("cost", "turns", "tokens", "tool-calls")
    ]
    assert (
        section.lead[1]
        == "The first 4 measures are shown; task by task in verdict.json alone: tool_errors, files_changed."
    )
    assert len(pairs(facts(document(plan_of(tasks=6), records_of(plan_of(tasks=6), cheaper)))).lead) == 1
