"""Evaluation: total on what was checked, exact, unknown where something is not known."""

from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spec_lang.expr import ast
from spec_lang.expr import scope as scopes
from spec_lang.expr.check import check
from spec_lang.expr.evaluate import evaluate
from spec_lang.expr.parse import parse
from spec_lang.expr.types import BOOL, MONEY, NUMBER, POINTS, SHARE, TIME, BoolType
from spec_lang.expr.unparse import unparse
from spec_lang.expr.values import UNKNOWN, Column, Given, Value
from tests.spec_lang.expr.strategies import Typed, facts, trees, values

ARMS = ("a", "b")
TRIAL = scopes.trial(ARMS, {"hooks": "count", "note": "text"}, {"solved": BOOL})
SELECTION = scopes.selection("git-history")
COMPARE = scopes.compare(ARMS, MONEY)
TYPED = {"trial": Typed(TRIAL), "selection": Typed(SELECTION)}


def said(text: str, **names: Given) -> Value:
    return evaluate(parse(text).tree, names)


@pytest.mark.parametrize("name", TYPED)
@settings(max_examples=120)
@given(data=st.data())
def test_law_well_typed_never_fails(name: str, data: st.DataObject) -> None:
    scope = TYPED[name].scope
    tree = data.draw(TYPED[name].of(BOOL, 2))
    kind, faults = check(parse(unparse(tree)), scope, BOOL)
    assert not faults
    assert kind == BoolType()
    assert evaluate(tree, data.draw(facts(scope))) in (True, False, UNKNOWN)


@settings(max_examples=200)
@given(tree=trees, data=st.data())
def test_law_whatever_the_checker_accepts_never_fails(tree: ast.Node, data: st.DataObject) -> None:
    expression = parse(unparse(tree))
    for scope in (TRIAL, COMPARE, scopes.per_arm({"solved": BOOL})):
        if not check(expression, scope)[1]:
            evaluate(expression.tree, data.draw(facts(scope)))


@settings(max_examples=100)
@given(data=st.data())
def test_law_order_does_not_matter_in_and_and_or(data: st.DataObject) -> None:
    items = data.draw(st.lists(TYPED["trial"].of(BOOL, 1), min_size=2, max_size=4))
    names = data.draw(facts(TRIAL))
    other = data.draw(st.permutations(items))
    for word in ("and", "or"):
        one = evaluate(ast.Junction(word=word, items=tuple(items)), names)
        assert one == evaluate(ast.Junction(word=word, items=tuple(other)), names)


@given(st.lists(st.sampled_from([True, False, UNKNOWN]), min_size=2, max_size=5))
def test_law_kleene(truths: list[Value]) -> None:
    names = {f"x{place}": truth for place, truth in enumerate(truths)}
    both = evaluate(parse(" and ".join(names)).tree, names)
    either = evaluate(parse(" or ".join(names)).tree, names)
    assert both == (False if False in truths else UNKNOWN if UNKNOWN in truths else True)
    assert either == (True if True in truths else UNKNOWN if UNKNOWN in truths else False)
    # De Morgan holds with unknowns, too.
    assert evaluate(parse(f"not ({' and '.join(names)})").tree, names) == evaluate(
        parse(" or ".join(f"not {name}" for name in names)).tree, names
    )


@settings(max_examples=60)
@given(data=st.data())
def test_law_knowing_more_never_changes_an_answer(data: st.DataObject) -> None:
    tree = data.draw(TYPED["trial"].of(BOOL, 2).filter(lambda tree: "known" not in unparse(tree)))
    names = data.draw(facts(TRIAL))
    before = evaluate(tree, names)
    more = {
        name: data.draw(values(kind)) if names.get(name, UNKNOWN) is UNKNOWN else names[name]
        for name, kind in TRIAL.names.items()
    }
    assert before is UNKNOWN or evaluate(tree, more) == before


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("20 min", 1200),
        ("5 pp", Fraction(1, 20)),
        ("2 GB", 2_000_000_000),
        ("0.1 + 0.2 == 0.3", True),
        ("1 / 3 * 3 == 1", True),
        ("-(2 - 5)", 3),
        ("3 in 1..3", True),
        ("1 in 1..3 and 0 in 0..0", True),
        ("4 in 1..3", False),
        ("2 in 3..1 + 1", False),
        ('"a" in ["b", "a"]', True),
        ('["a"] == ["a"]', True),
        ('["a"] != ["a", "b"]', True),
        ('"fix: x" startswith "fix"', True),
        ('"see #12" matches "#\\\\d+$"', True),
        ('"a" matches "b"', False),
        ("max(2, 3) - min(2, 3) == abs(-1)", True),
        ('date("2026-07-01") < date("2026-07-02")', True),
        ("count([1, 2])", 2),
        ("count([true, false])", 2),
        ("true == false", False),
    ],
)
def test_values(text: str, value: Value) -> None:
    assert said(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "x", "-x", "not x", "x + 1", "1 / 0", "1 / x", "x in 1..2", "1 in x..2", "x in [1]", "1 in [2, x]", "x == 1",
        'x startswith "a"', "min(x, 1)", "count(x)", "[x] == [1]", "true and x", "false or x", 'changed("*") == []',
        "[1, x] == [1, 2]", "solved.count(a) > 1 task",
    ],
)  # fmt: skip
def test_unknown(text: str) -> None:
    assert said(text) is UNKNOWN
    assert said(text, x=None) is UNKNOWN


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("known(x)", False), ("not known(x) or x > 3", True), ("false and x", False), ("true or x", True),
        ("1 in [1, x]", True), ("[1, x] == [2, 3]", False), ("[x] == []", False), ("[1, x] != [2, 3]", True),
        ("known([1, x])", False), ("known(y)", True), ("known(1 / 0)", False),
    ],
)  # fmt: skip
def test_decided_in_spite_of_an_unknown(text: str, value: Value) -> None:
    assert said(text, y=3) is value


def test_names_are_taken_as_values() -> None:
    assert said("x + y", x=1, y=Decimal("0.5")) == Fraction(3, 2)
    assert said("x in y", x="a", y=["a", "b"]) is True
    with pytest.raises(TypeError, match="not a value"):
        said("x", x=0.5)  # type: ignore[arg-type]


def test_endpoint_calls_read_their_text() -> None:
    tree = parse("solved.count(b) >= solved.count(a) - 1 task").tree
    assert ast.reads(tree) == ("solved.count(b)", "solved.count(a)")
    assert evaluate(tree, {"solved.count(b)": 17, "solved.count(a)": 18}) is True
    assert evaluate(tree, {"solved.count(b)": 17}) is UNKNOWN


def test_calls_stand_in_for_builtins() -> None:
    tree = parse('count(changed("src/**")) == 2').tree
    assert evaluate(tree, {"changed": ["src/a.py", "src/b/c.py", "README.md"]}) is True
    assert evaluate(tree, {}, {"changed": lambda glob: [glob]}) is False


def test_aggregates() -> None:
    names = {
        "cost": Column((Fraction(1), Fraction(2), Fraction(6))),
        "solved": Column((True, False, True)),
        "turns": Column((Fraction(1), UNKNOWN, Fraction(3))),
    }

    def of(text: str) -> Value:
        return evaluate(parse(text).tree, names)

    assert of("sum(cost) / count(solved)") == Fraction(9, 2)
    assert of("mean(cost)") == 3
    assert of("median(cost)") == 2
    assert of("share(solved)") == Fraction(2, 3)
    assert of("count(solved and cost > 1 USD)") == 1
    assert of("sum(turns)") is UNKNOWN
    assert of("count(not known(turns))") == 1
    assert of("sum(cost) / count(cost > 100 USD)") is UNKNOWN


def test_aggregates_over_nothing() -> None:
    names = {"cost": Column(()), "solved": Column(())}
    assert evaluate(parse("sum(cost)").tree, names) == 0
    assert evaluate(parse("count(solved)").tree, names) == 0
    for name in ("mean(cost)", "median(cost)", "share(solved)"):
        assert evaluate(parse(name).tree, names) is UNKNOWN


def test_median_of_an_even_number_is_the_middle() -> None:
    names = {"cost": Column((Fraction(4), Fraction(1), Fraction(2), Fraction(9)))}
    assert evaluate(parse("median(cost)").tree, names) == 3


def test_dates_are_days() -> None:
    names = {"committed": date(2026, 7, 1)}
    assert evaluate(parse('committed >= date("2026-07-01")').tree, names) is True


def test_types_of_shares() -> None:
    scope = scopes.compare(ARMS, SHARE)
    assert check(parse("a - b"), scope)[0] == POINTS
    assert check(parse("a / b - 1"), scope)[0] == NUMBER
    assert check(parse("a - (a - b)"), scope)[0] == SHARE
    assert check(parse("a + b"), scope)[0] == SHARE
    assert check(parse("a - b"), scopes.compare(ARMS, TIME))[0] == TIME


@pytest.mark.parametrize(
    ("text", "unjudged", "failure"),
    [
        ('judgment == "success"', UNKNOWN, False),
        ('judgment != "success"', UNKNOWN, True),
        ('"success" == judgment', UNKNOWN, False),
        ('judgment in ["success", "partial"]', UNKNOWN, False),
        ('judgment in ["failure", "unjudged"]', True, True),
        ('judgment == "unjudged"', True, False),
        ('judgment != "unjudged"', False, True),
        ('judgment == "success" and verdict == "pass"', UNKNOWN, False),
        ('judgment == "success" and verdict == "fail"', False, False),
        ("known(judgment)", True, True),
    ],
)
def test_what_nobody_judged_is_no_answer(text: str, unjudged: Value, failure: Value) -> None:
    for judgment, wanted in (("unjudged", unjudged), ("failure", failure)):
        assert said(text, judgment=judgment, verdict="pass") == wanted
        rows = said(f"count({text})", judgment=Column((judgment, judgment)), verdict=Column(("pass", "pass")))
        assert rows == (UNKNOWN if wanted is UNKNOWN else 2 * bool(wanted))
