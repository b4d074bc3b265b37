"""What is missing stays visible in one table: cost, usage, cache splits, cut logs, unjudged trials; and the cache beside its intent."""

from collections.abc import Mapping
from fractions import Fraction

import pytest

from analyzer.accounting import PARTS, columns, from_cache
from analyzer.page import Section, Table
from analyzer.report import page
from compiler.plan import AnalysisPlan
from ledger.plain import Plain
from ledger.records import Judgment, Record
from tests.analyzer.runs import Shot, chained, judged, plan_of, records_of, trials_of
from tests.analyzer.test_report import document

USAGE: Mapping[str, Plain] = {
    "input_tokens": 100,
    "cache_read": 300,
    "cache_write": 0,
    "output_tokens": 20,
    "tool_calls": 5,
    "tool_errors": 1,
}
ASKS = {"solved": 'judgment == "success" and verdict == "pass"'}


def section(plan: AnalysisPlan, records: list[Record], name: str) -> Section:
    return next(each for each in page(document(plan, records)).sections if each.id == name)


def by_arm(table: Table) -> dict[str, dict[str, str]]:
    return {row[0].text: dict(zip(table.columns, [each.text for each in row], strict=True)) for row in table.rows}


def shots(task: str, arm: str, seed: int) -> Shot | list[Shot]:
    """The treatment: a lost attempt of unknown cost, then nothing of usage, then no cache split, then a cut log."""
    if arm == "baseline":
        return Shot(cost="1", more=USAGE)
    lost = Shot(cost=None, rule="lost", ended="no-result", more={"result_event": None, "time": None, "turns": None})
    none = dict.fromkeys(USAGE)
    split = {**USAGE, "cache_read": None, "cache_write": None}
    return {
        "t01": [lost, Shot(cost="2", more=USAGE)],
        "t02": Shot(cost=None, more=none),
        "t03": Shot(cost="2", more=split),
        "t04": Shot(cost="2", more={**USAGE, "result_event": False}, ended="limit", verdict="fail"),
    }[task]


def test_what_is_missing_stands_in_one_table_beside_what_was_used() -> None:
    plan = plan_of(tasks=4, seeds=1, missing=(), measures=ASKS)
    records: list[Record] = [*records_of(plan, shots), Judgment(trial="t01/neuralmind/1", judgment="success", who="a")]
    found = section(plan, records, "accounting")
    used, missing = map(by_arm, found.tables)
    assert used["baseline"] == {
        "arm": "baseline",
        "attempts": "4",
        "lost or retried": "0",
        "cost": "4 USD",
        "time": "246 s",
        "turns": "48",
        "calls of tools": "20",
        "of them failed": "4",
        "tokens read": "400",
        "read from a cache": "1200",
        "written to a cache": "0",
        "tokens written": "80",
        "share from a cache": "75.0%",
    }
    assert used["neuralmind"] | {"time": "", "turns": ""} == {
        "arm": "neuralmind",
        "attempts": "5",
        "lost or retried": "1",
        "cost": "6 USD (2 unknown)",
        "time": "",
        "turns": "",
        "calls of tools": "15 (2 unknown)",
        "of them failed": "3 (2 unknown)",
        "tokens read": "300 (2 unknown)",
        "read from a cache": "600 (3 unknown)",
        "written to a cache": "0 (3 unknown)",
        "tokens written": "60 (2 unknown)",
        "share from a cache": "75.0% (3 unknown)",
    }
    assert missing["neuralmind"] == {
        "arm": "neuralmind",
        "trials without an outcome": "0 of 4",
        "unjudged": "3 of 4",
        "of them pass their checks": "2",
        "cost unknown": "2 of 5 attempts",
        "usage unknown": "2 of 5 attempts",
        "no cache split": "3 of 5 attempts",
        "interrupted: no result event": "2 of 5 attempts",
        "time unknown": "1 of 5 attempts",
    }
    assert set(missing["baseline"].values()) == {"baseline", "0 of 4", "4 of 4", "4", "0 of 4 attempts"}


def test_an_unknown_cache_split_is_no_split_of_zero() -> None:
    known = {"input_tokens": Fraction(1), "cache_read": Fraction(3), "cache_write": Fraction(0)}
    assert from_cache(columns([known, {**known, "cache_read": None}], PARTS)) == (Fraction(3, 4), 1)
    assert from_cache(columns([{**known, "cache_read": None}], PARTS)) == (None, 1)
    assert from_cache(columns([{}, known], PARTS)) == (Fraction(3, 4), 1)
    assert from_cache(columns([], PARTS)) == (None, 0)


@pytest.mark.parametrize(
    ("intended", "read", "words"),
    [
        ("cold", 300, "the cache was meant to be cold, and 75.0% of the tokens read came from it"),
        ("cold", 0, None),
        ("warm", 0, "the cache was meant to be warm, and nothing was read from it"),
        ("warm", 300, None),
        ("cold", None, "2 attempts of 2 do not say what came from a cache"),
        ("unknown", None, None),
    ],
)
def test_what_was_read_from_a_cache_is_set_beside_what_was_intended(
    intended: str, read: int | None, words: str | None
) -> None:
    plan = plan_of(tasks=2, seeds=1, cache={"intended": intended, "statement": "pairs run back to back"})
    records = records_of(plan, lambda *_: Shot(more={**USAGE, "cache_read": read}))
    said = [each for each in judged(plan, chained(records)).warnings if "cache" in each]
    assert said == ([] if words is None else [f"{arm}: {words}" for arm in plan.arms])
    points = section(plan, records, "accounting").points
    assert points[0].startswith(f"The cache was meant to be: {intended} (pairs run back to back).")


def test_nobody_judged_and_nothing_asks() -> None:
    plan = plan_of(tasks=2, seeds=1)
    found = section(plan, records_of(plan, lambda *_: Shot()), "judgments")
    assert found.tables == ()
    assert found.lead == ("Nobody judged a trial, and nothing that was registered asks for it.",)
    assert not [each for each in judged(plan, chained(records_of(plan, lambda *_: Shot()))).warnings if "judg" in each]


def test_disagreement_and_revisions_are_listed() -> None:
    plan = plan_of(tasks=2, seeds=1, measures=ASKS)
    records = records_of(plan, lambda task, *_: Shot(solved=task == "t01"))
    said = [Judgment(trial=each.id, judgment="success", who="Ana", arm_seen=False) for each in trials_of(plan)[:3]]
    revised = Judgment(trial="t01/baseline/1", judgment="failure", who="Ben", reason="it edits more")
    found = section(plan, [*records, *said, revised], "judgments")
    together, against, every = found.tables
    assert [[each.text for each in row] for row in together.rows] == [
        ["baseline", "pass", "0", "0", "1", "0"],
        ["baseline", "fail", "1", "0", "0", "0"],
        ["neuralmind", "pass", "1", "0", "0", "0"],
        ["neuralmind", "fail", "0", "0", "0", "1"],
    ]
    assert [[each.text for each in row] for row in against.rows] == [
        ["t01/baseline/1", "pass", "failure", "Ben"],
        ["t02/baseline/1", "fail", "success", "Ana"],
    ]
    assert [(row[3].text, row[4].text, row[7].text) for row in every.rows] == [
        ("success", "Ana", ""),
        ("success", "Ana", ""),
        ("success", "Ana", ""),
        ("failure", "Ben", "it edits more"),
    ]
    warnings = judged(plan, chained([*records, *said, revised])).warnings
    assert "checks and people disagree on 2 trials; the report lists them" in warnings
    assert "1 trial judged more than once; the last judgment counts, the report lists all" in warnings
    assert trials_of(plan)[3].id == "t02/neuralmind/1", "nobody judged it, and it fails its checks"
    assert not [each for each in warnings if "nobody judged" in each]
