"""Reports: pure, reproducible, honest about what they are, and safe with whatever text stands in a ledger."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from analyzer.document import facts
from analyzer.evidence import evidence
from analyzer.report import (
    DRAWING,
    SECTIONS,
    Registered,
    ReportInput,
    held,
    markdown,
    markdown_code,
    markdown_line,
    page,
    render,
)
from analyzer.verdict_file import decode, encode
from compiler.plan import AgentPlan, AnalysisPlan, ArmPlan, Chosen, EndpointPlan
from compiler.registration import Registration
from ledger.canonical import digest
from ledger.records import Analysis, Deviation, Outcome, Peek, Record
from tests.analyzer.runs import ARMS, Shot, chained, cheaper, judged, lines_of, plan_of, records_of, trials_of

TEMPLATES = {
    each.name: each.read_text("utf-8") for each in (Path(__file__).parents[2] / "templates").glob("report.*.j2")
}
NASTY = "<script>alert(1)</script> | *bold* `code` [link](http://x.example) & \\ _it_"


def arms_of(plan: AnalysisPlan) -> tuple[ArmPlan, ...]:
    return tuple(
        ArmPlan(
            name=arm,
            agent=AgentPlan(kind="claude-code", version="2.1.287", model="claude-sonnet-5-5", limits=plan.limits[arm]),
            provider=Chosen(kind="none"),
        )
        for arm in ARMS
    )


def registered(name: str, **changes: Any) -> Registered:
    registration = Registration(
        registration_id="r",
        spec={},
        plan={},
        inputs={},
        tool={},
        foreknowledge=None,
        access="nothing-run",
        created_at_untrusted="2026-10-14T09:00:00Z",
        **changes,
    )
    return Registered(name=name, digest="sha256:" + "1" * 64, registration=registration)


def document(plan: AnalysisPlan, records: list[Record], **changes: Any) -> ReportInput:
    lines = chained(records)
    made = encode(judged(plan, lines))
    found = ReportInput(
        experiment="neuralmind",
        run="pilot",
        verdict=decode(made),
        verdict_digest=digest(made),
        plan=plan,
        arms=arms_of(plan),
        evidence=evidence(plan, lines, trials_of(plan)),
        registration="0001-abc",
        registrations=(registered("0001-abc"),),
        command="prereg audit runs/pilot",
    )
    return replace(found, **changes)


def rendered(plan: AnalysisPlan, records: list[Record] | None = None, **changes: Any) -> dict[str, str]:
    return render(document(plan, records or records_of(plan, cheaper), **changes), TEMPLATES)


def written(plan: AnalysisPlan, records: list[Record] | None = None, **changes: Any) -> str:
    """The report in Markdown alone, for which nothing is drawn."""
    only = {"report.md.j2": TEMPLATES["report.md.j2"]}
    return render(document(plan, records or records_of(plan, cheaper), **changes), only)["report.md"]


class Outline(HTMLParser):
    """Collects the tags of a page, and checks that they close."""

    VOID = frozenset({"meta", "rect", "path", "use"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def prose(report: str) -> str:
    """A page without what stands in it for a shell."""
    return re.sub(r"^```sh\n.*?^```$", "", report, flags=re.DOTALL | re.MULTILINE)


def outline(html: str) -> Outline:
    found = Outline()
    found.feed(html)
    found.close()
    assert found.open == []
    return found


def test_a_report_is_a_function_of_what_is_stored() -> None:
    """Also after an analysis was appended: the same bytes."""
    plan = plan_of(tasks=6)
    records = records_of(plan, cheaper)
    first = document(plan, records)
    again = document(plan, [*records, Analysis(verdict="sha256:0", status="supported", ledger_head="sha256:0")])
    assert render(first, TEMPLATES) == render(again, TEMPLATES)
    assert {"report.md", "report.html"} < set(render(first, TEMPLATES))


def test_all_that_has_pictures_is_worked_out_first() -> None:
    known = facts(document(plan_of(tasks=6), records_of(plan_of(tasks=6), cheaper)))
    assert {each for each in SECTIONS if each(known).figures} <= set(DRAWING) <= set(SECTIONS)


@pytest.mark.parametrize(
    ("stage", "simulated", "word"),
    [
        ("pilot", False, "PILOT"),
        ("smoke", False, "SMOKE TEST"),
        ("confirmatory", True, "SIMULATED"),
        ("pilot", True, "SIMULATED PILOT"),
        ("exploratory", False, "EXPLORATORY"),
    ],
)
def test_what_is_no_evidence_says_so_everywhere(stage: str, simulated: bool, word: str) -> None:
    found = rendered(plan_of(tasks=6, stage=stage, simulated=simulated))
    headings = [line for line in prose(found["report.md"]).split("\n") if line.startswith("#")]
    sections = len(SECTIONS) - 1  # six tasks carry rates: what exists is no section of its own
    assert len(headings) == sections + 4  # the title, the verdict, what to know first, and every number again
    assert all(word in line for line in headings)
    first, last = found["report.md"].split("\n")[2], found["report.md"].rstrip().split("\n")[-1]
    assert first.startswith("> **")
    assert last.startswith("> **")
    page_ = outline(found["report.html"])
    assert sum(tag == "small" for tag, _ in page_.tags) == sections + 2
    assert any(values.get("class") == "banner" for _, values in page_.tags)
    assert f'@top-center {{ content: "{word}"' in found["report.html"], "engines that know margin boxes mark every page"
    assert found["report.html"].count('<tr class="mark">') == found["report.html"].count("<thead>"), (
        "others repeat the table's head"
    )


def test_a_confirmatory_run_carries_no_banner() -> None:
    found = rendered(plan_of(tasks=6))
    assert "> **" not in found["report.md"]
    assert 'class="banner"' not in found["report.html"]


def test_the_sections_stand_in_the_order_of_the_house() -> None:
    shown = page(document(plan_of(tasks=6), records_of(plan_of(tasks=6), cheaper)))
    assert [each.id for each in shown.sections] == [
        "warnings",
        "decision",
        "endpoints",
        "nulls",
        "limits",
        "unscored",
        "pairs",
        "rates",
        "robust",
        "simulated",
        "arms",
        "matrix",
        "attempts",
        "costs",
        "accounting",
        "judgments",
        "course",
        "changes",
        "selection",
        "contamination",
        "versions",
        "tools",
        "threats",
        "provenance",
        "next",
        "again",
    ]


def test_the_page_needs_no_network_and_no_script_and_can_be_read_aloud() -> None:
    html = rendered(plan_of(tasks=6))["report.html"]
    page_ = outline(html)
    tags = {tag for tag, _ in page_.tags}
    assert not tags & {"script", "link", "img", "iframe", "object"}
    assert "http" not in html.replace("http-equiv", "")
    assert "url(" not in html
    assert ("html", {"lang": "en"}) in page_.tags
    assert all(values.get("scope") in ("col", "row") for tag, values in page_.tags if tag == "th")
    assert all(
        values.get("role") == "img" and values.get("aria-labelledby") for tag, values in page_.tags if tag == "svg"
    )
    identifiers = [values["id"] for _, values in page_.tags if "id" in values]
    assert len(identifiers) == len(set(identifiers))
    named = {each for _, values in page_.tags for each in (values.get("aria-labelledby") or "").split()}
    assert named <= set(identifiers)
    assert {values["href"] for tag, values in page_.tags if tag in ("a", "use")} <= {f"#{each}" for each in identifiers}
    assert html.count("<caption>") == html.count("<table>")
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html


def test_every_picture_is_told_in_words_and_stands_beside_the_page() -> None:
    found = rendered(plan_of(tasks=6))
    html = found.pop("report.html")
    drawings = {each: ET.fromstring(each) for each in re.findall(r"<svg.*?</svg>", html, re.DOTALL)}
    assert len(drawings) == html.count("<figure>") == len(found) - 2 == 7
    for drawing in drawings.values():
        title, says = drawing.find("title"), drawing.find("desc")
        assert title is not None
        assert says is not None
        assert title.text in html
        assert len(says.text or "") > 20
    for name, text in found.items():
        if name.startswith("figures/"):
            assert ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
            assert "prefers-color-scheme: dark" in text


def test_a_figure_says_its_numbers_and_rounds_no_text() -> None:
    html = rendered(plan_of(tasks=6))["report.html"]
    decision = re.search(r'<svg[^>]*aria-labelledby="figure-decision-title.*?</svg>', html, re.DOTALL)
    assert decision is not None
    assert ">0.0156: holds<" in decision.group()
    assert "cost.p &lt; 0.05: 0.0156 against 0.05, holds" in decision.group()
    assert not re.search(r"#0b0c", html), "every stand-in for a colour is replaced"


REPRODUCE = """
import hashlib
from tests.analyzer.test_report import plan_of, rendered
print(hashlib.sha256("".join(sorted(rendered(plan_of(tasks=6)).values())).encode()).hexdigest())
"""


@pytest.mark.parametrize(
    ("text", "held_"),
    [
        ("7794 s", "7794_s"),
        ("-33.6 pp to +15.4 pp, 95 %", "-33.6_pp to +15.4_pp, 95_%"),
        ("12.5 USD (1 unknown)", "12.5_USD (1 unknown)"),
        ("2000 of 2000 attempts", "2000_of_2000 attempts"),
        ("unknown", "unknown"),
    ],
)
def test_a_number_and_its_unit_stay_on_one_line(text: str, held_: str) -> None:
    assert held(text) == held_.replace("_", "\N{NO-BREAK SPACE}")


def test_bytes_are_the_same_in_every_process_whatever_its_hash_seed_and_settings(tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_text("font.size: 30\naxes.facecolor: red\nsvg.fonttype: path\n")
    root = Path(__file__).parents[2]

    def digest(**environment: str) -> str:
        known = {**os.environ, "PYTHONPATH": str(root), **environment}
        done = subprocess.run(
            [sys.executable, "-c", REPRODUCE], env=known, cwd=root, capture_output=True, text=True, check=True
        )
        return done.stdout

    assert digest(PYTHONHASHSEED="1") == digest(
        PYTHONHASHSEED="2", MATPLOTLIBRC=str(tmp_path / "matplotlibrc"), LC_ALL="C", TZ="Asia/Tokyo"
    )


def test_nothing_that_a_ledger_says_becomes_markup() -> None:
    plan = replace(plan_of(tasks=2), threats=(NASTY, "- x", "# y", "1. z"), does_not_show=NASTY)
    records = records_of(plan, cheaper)
    records[-1:-1] = [Deviation(what=NASTY, reason="a\nb\n\n# c"), Peek(what=NASTY, outcomes=1, reason=NASTY)]
    found = rendered(plan, records)
    page_ = outline(found["report.html"])
    assert not any(tag == "script" for tag, _ in page_.tags)
    assert NASTY in page_.text
    assert "<script" not in found["report.md"]
    assert "](http" not in found["report.md"]
    for row in found["report.md"].split("\n"):
        if row.startswith("|") and "alert" in row:
            assert len(re.findall(r"(?<!\\)\|", row)) in (4, 6), row  # a deviation has three cells, a look five
    assert "\n# c" not in prose(found["report.md"])
    assert "\n- \\- x" in found["report.md"]
    assert "\n- 1\\. z" in found["report.md"]


def test_words_stay_readable_in_markdown() -> None:
    assert markdown("relative_cost < 3 * 2") == "relative_cost &lt; 3 \\* 2"
    assert markdown_line("-2 tasks") == "\\-2 tasks"
    assert markdown_line("12 tasks") == "12 tasks"
    assert markdown_code("a | `b`") == "`a \\| 'b'`"


def test_amendments_deviations_and_peeks_are_listed_even_when_there_are_none() -> None:
    clean = written(plan_of(tasks=2))
    for caption in ("Deviations from the plan", "Looks at outcomes before the run was closed"):
        assert f"**{caption}**\n\nnone\n" in clean
    assert "no attempt was lost or retried" in clean
    plan = plan_of(tasks=2)
    records = records_of(plan, cheaper)
    records[-1:-1] = [Peek(what="status --outcomes", outcomes=7)]
    amended = (registered("0001-abc"), registered("0002-def", parent="sha256:0", reason="a typo in a prompt"))
    busy = written(plan, records, registrations=amended)
    assert "| status --outcomes | 7 |" in busy
    assert "a typo in a prompt" in busy
    assert "| registration | at (as claimed) |" in busy, "a change log has dates, and nobody has witnessed them"
    assert "| 0002-def | 2026-10-14T09:00:00Z |" in busy


def test_lost_attempts_are_told_one_by_one() -> None:
    plan = plan_of(tasks=2)
    lost = Shot(rule="harness_failure", more={"cost": None, "terminal_reason": "api_error"})

    def shots(task: str, arm: str, seed: int) -> Shot | list[Shot]:
        return (
            [lost, cheaper(task, arm, seed)]
            if (task, arm, seed) == ("t01", "baseline", 1)
            else cheaper(task, arm, seed)
        )

    text = written(plan, records_of(plan, shots))
    assert "13 attempts claimed, 1 of them lost or retried." in text
    assert re.search(
        r"\| t01/baseline/1 \| 1 \| 2026-10-20T\S+ \| harness_failure \| agent \| lost \| unknown \|", text
    )
    assert "known subtotal" in text


def test_no_percentage_where_few_tasks_cannot_carry_it() -> None:
    few, enough = written(plan_of(tasks=5)), written(plan_of(tasks=6))
    results = few[few.index("## Endpoints") : few.index("## Every task")]
    assert " %" not in results
    assert " pp" not in results
    assert "+0 of 5 tasks" in results
    assert "counts only (n &lt; 6)" in results
    assert " pp" in enough[enough.index("## Endpoints") : enough.index("## Every task")]


def test_a_relative_change_reads_in_percent_whatever_its_type_is_called() -> None:
    """The language types USD/USD - 1 as a plain number; people read it as a change in percent."""
    plan = plan_of(tasks=6)
    plan = replace(
        plan,
        endpoints=tuple(
            replace(each, unit="number") if each.name == "relative_cost" else each for each in plan.endpoints
        ),
    )
    text = written(plan)
    assert re.search(r"\| `relative_cost` \| effect \| -\d+\.\d % \| -\d+\.\d % to -\d+\.\d %, 95 % \|", text)


def test_missing_data_is_visible_where_it_counts() -> None:
    plan = plan_of(tasks=7)

    def shots(task: str, arm: str, seed: int) -> Shot:
        if (task, arm, seed) == ("t01", "baseline", 1):
            return Shot(cost=None, ended="timeout", solved=True)
        if (task, arm, seed) == ("t02", "baseline", 1):
            return Shot(cost=None)
        return cheaper(task, arm, seed)

    text = written(plan, records_of(plan, shots))
    assert "## Verdict: NO VERDICT" in text
    assert "pass 2 [timeout]" in text
    assert "pass cost unknown" in text
    assert "cost.p is unknown (t02 is unknown (baseline: 1 of 3 seeds unknown))" in text
    assert "cannot be decided" in text
    assert "unknown; known tasks alone: -" in text


def test_families_floors_breakdowns_and_single_arms_are_shown() -> None:
    plan = plan_of(tasks=12, seeds=1)
    wilson = Chosen(kind="wilson", options={"level": "0.95"})
    cost, solved, relative = plan.endpoints[:3]
    endpoints = (
        replace(solved, by=("category",)),
        replace(cost, interval=Chosen(kind="hodges-lehmann", options={"level": "0.999999"})),
        relative,
        EndpointPlan(name="gold", role="secondary", unit="share", per_arm="share(solved)", interval=wilson),
        EndpointPlan(
            name="quality", role="secondary", unit="text", measure="verdict", per_task="only", show="each-task"
        ),
        replace(solved, name="flips", role="secondary", show="each-task"),
        EndpointPlan(name="known", role="secondary", unit="USD", per_arm="sum(cost)"),
    )
    decision = replace(
        plan.decision, decidable_when=("solved.discordant >= 6 tasks",), family=("solved", "cost"), correction="holm"
    )
    tasks = tuple(replace(task, category=("easy", "hard")[place % 2]) for place, task in enumerate(plan.tasks))
    plan = replace(plan, endpoints=endpoints, decision=decision, tasks=tasks)

    def shots(task: str, arm: str, seed: int) -> Shot:
        cost = None if (task, arm) == ("t12", "neuralmind") else "1"
        return Shot(cost=cost, solved=arm == "neuralmind" or task in ("t01", "t02"))

    text = written(plan, records_of(plan, shots))
    assert "**Decided only when all of these hold**" in text
    assert "| `solved.discordant >= 6 tasks` | solved.discordant = 10 | holds |" in text
    assert "(Holm: " in text
    assert "**solved, broken down**" in text
    assert re.search(r"\| easy \| \+83\.3 pp \| .* to .*, 95 % \| 0\.0625 \| 6 \|", text)
    assert re.search(
        r"\| `gold` \| secondary \| 16\.7 % \(4\.7 % to 44\.8 %\) \| 100\.0 % \(75\.8 % to 100\.0 %\) \|", text
    )
    assert "unknown; known trials alone: 11 USD" in text
    assert (
        "**quality, task by task**\n\n| task | baseline | neuralmind |\n| --- | ---: | ---: |\n| t01 | pass | pass |"
        in text
    )
    assert "| t03 | no | yes | +1 |" in text
    assert "no lower, upper: 12 tasks reach a level of" not in text, "an unknown task comes first"
    assert "no estimate, " in text


def test_a_run_too_small_to_size_the_next_says_why() -> None:
    text = written(plan_of(tasks=1, sample_size={**plan_of().sample_size, "statement": "All there was."}))
    assert "How many tasks the next run needs is unknown: 1 task has no spread" in text
    assert "All there was." in text
    assert "No formula for a next run is registered." in written(plan_of(tasks=1, sample_size={}))


def test_gaps_are_named() -> None:
    plan = plan_of(tasks=2)
    lost = [Shot(rule="harness_failure", more={"terminal_reason": "api_error"})] * 6
    shots = lambda task, arm, seed: lost if (task, arm, seed) == ("t01", "baseline", 1) else cheaper(task, arm, seed)  # noqa: E731
    text = written(plan, records_of(plan, shots, t01__baseline__1="harness_failure"))
    assert "| t01/baseline/1 | no outcome: 6 attempts lost, none left under rule harness_failure |" in text


CHOSEN = {
    "fixes": {
        "found": 38,
        "dropped": {},
        "eligible": 4,
        "gated": {"c3": "flaky"},
        "excluded": {"a": 0, "c": 1},
        "excluded_tasks": {"c1": "c"},
        "reasons": {"a": "checks documentation", "c": "depends on the fix | itself"},
        "passed": {"c1": "excluded: c", "c3": "gate: flaky"},
        "order": ["c1", "t01", "c3", "t02", "c9"],
        "drawn": ["t01", "t02"],
        "disjoint_from": [],
    }
}


def test_how_tasks_were_chosen() -> None:
    text = written(plan_of(tasks=2, selection=CHOSEN))
    for row in (
        "| candidates found | 38 |",
        "| dropped | 0 |",
        "| met every condition | 4 |",
        "| turned away by the gate: flaky | 1 |",
        "| excluded before the draw: a (checks documentation) | 0 |",
        "| excluded before the draw: c (depends on the fix \\| itself) | 1 |",
        "| drawn | 2 |",
        "| c1 | 1 | passed over, excluded: c (depends on the fix \\| itself) |",
        "| t01 | 2 | drawn |",
        "| c3 | 3 | passed over, gate: flaky |",
        "| c9 | 5 | not reached |",
    ):
        assert row in text, row
    assert "nothing is recorded in the plan" in written(plan_of(tasks=2))


def test_what_the_next_run_needs_and_how_this_one_is_derived_again() -> None:
    text = written(plan_of(tasks=20))
    assert "needs 1 task; but below 5 tasks the exact test cannot reach its level" in text
    assert "```sh\nprereg audit runs/pilot\n```" in text


def test_flags_of_contamination() -> None:
    plan = plan_of(tasks=2)
    plan = replace(plan, tasks=(replace(plan.tasks[0], predates=("model-a",)), plan.tasks[1]))
    text = written(plan)
    assert "| t01 | model-a |" in text
    assert "contamination is possible: 1 task may be in the training data of model-a" in text


def test_mixed_machines_are_flagged() -> None:
    plan = plan_of(tasks=2)
    lines = lines_of(plan, cheaper)
    records = [line.record for line in lines]
    records[4] = replace(records[4], machine="other")  # type: ignore[call-arg]
    verdict = judged(plan, chained(records))
    assert "the arms of 1 pair of trials ran on different machines" in verdict.warnings


@pytest.mark.parametrize(
    ("at", "told"), [("2026-10-21T08:00:00Z", False), ("2026-10-21T09:00:00Z", True), ("soon", False)]
)
def test_arms_of_a_pair_that_ran_far_apart_are_flagged(at: str, told: bool) -> None:
    plan = plan_of(tasks=2)
    lines = [*lines_of(plan, cheaper)]
    place = next(number for number, line in enumerate(lines) if isinstance(line.record, Outcome))
    lines[place] = replace(lines[place], at=at)
    found = [each for each in judged(plan, lines).warnings if "24 hours apart" in each]
    assert found == (["the arms of 1 pair of trials ended more than 24 hours apart"] if told else [])
