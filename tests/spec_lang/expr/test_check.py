"""The twelve examples of ill-typed expressions that the language was designed with, each with its meaning."""

import pytest

from spec_lang.diagnostics import SpecErrors
from spec_lang.expr import scope as scopes
from spec_lang.expr.check import check
from spec_lang.expr.parse import parse
from spec_lang.expr.types import BOOL, FAULTY, MONEY, NUMBER, TEXT, TIME, Type
from tests.spec_lang.test_cases import SCOPES

EXAMPLES = [
    ("decision", "cost.upper < 20 min", "`cost.upper` is USD, `20 min` is time; they cannot be compared", None),
    ("selection", "committed >= 2026-07-01", 'a date is written date("2026-07-01")', None),
    ("decision", "solved.lower > 0.05", "a difference of shares needs a unit", "write `5 pp`"),
    ("decision", "solved.lower > 5 %", "`%` is a share, `solved` is a difference of shares", "write `5 pp`"),
    ("trial", "time < 20 mins", "unknown unit `mins`", "nearest: `min`"),
    ("selection", "cost.p < 0.05", "selection cannot read the endpoint `cost`: choosing tasks by outcome", None),
    ("selection", "count(subject) >= 1", "`count` takes a list or a bool column; `subject` is text", None),
    ("decision", "relative_cost.uper < 0", "no field `uper` on endpoint `relative_cost`", "nearest: `upper`"),
    ("selection", "subject in 1..3", "`in` 1..3 needs a number; `subject` is text", None),
    ("selection", "count(fail_to_pass) in 3..1", "empty range: 3 is above 1", None),
    ("per_arm", "cost / solved", "`cost` is a column", "aggregate it: sum(cost) / count(solved)"),
    ("decision", "solved.count(treatment) >= 1 task", "no arm `treatment`", "arms: baseline, neuralmind"),
]


@pytest.mark.parametrize(("scope", "text", "summary", "hint"), EXAMPLES)
def test_ill_typed(scope: str, text: str, summary: str, hint: str | None) -> None:
    try:
        _, faults = check(parse(text), SCOPES[scope])
    except SpecErrors as errors:
        faults = errors.diagnostics
    assert faults[0].summary == summary
    assert hint is None or faults[0].hint == hint


@pytest.mark.parametrize(
    ("text", "want", "right"),
    [("cost", MONEY, True), ("cost", TIME, False), ("verdict", BOOL, False), ("verdict", TEXT, True)],
)
def test_what_a_place_needs(text: str, want: Type, right: bool) -> None:
    _, faults = check(parse(text), SCOPES["trial"], want)
    assert not faults if right else [each.code for each in faults] == ["P234"]


def test_one_fault_is_told_once() -> None:
    kind, faults = check(parse("(nonsense + 1) * 2 > 3 and known(nonsense)"), SCOPES["trial"], BOOL)
    assert [each.code for each in faults] == ["P230", "P230"]
    assert kind == BOOL
    assert check(parse("nonsense"), SCOPES["trial"], NUMBER)[0] == FAULTY


def test_derived_units() -> None:
    scope = scopes.per_arm({"solved": BOOL})
    assert check(parse("sum(cost) / count(solved)"), scope)[0] == MONEY
    assert check(parse("sum(time) / sum(time)"), scope)[0] == NUMBER
    assert check(parse("sum(cost) > 1 USD * 3"), scope) == (BOOL, ())
