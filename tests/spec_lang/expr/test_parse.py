"""Reading expressions: where nodes stand, and what bounds them."""

import pytest

from spec_lang.diagnostics import SpecErrors
from spec_lang.expr import ast
from spec_lang.expr.parse import LONGEST, parse
from spec_lang.span import Position, Source, Span


def test_a_span_moves_every_place() -> None:
    source = Source(name="spec.yaml", text="where:\n  - a < 20 min")
    span = Span(source=source, start=Position(line=2, column=5), end=Position(line=2, column=15))
    expression = parse("a < 20 min", span)
    assert isinstance(expression.tree, ast.Comparison)
    assert str(expression.where(expression.tree.right)) == "spec.yaml:2:9"
    assert expression.where(expression.tree.right).end == Position(line=2, column=15)


def test_equality_forgets_where_it_stands() -> None:
    one, other = parse("a  <  b"), parse("a < b")
    assert one == other
    assert hash(one) == hash(other)


def test_too_long() -> None:
    with pytest.raises(SpecErrors, match="longer than"):
        parse("a + " * LONGEST + "a")


def test_deep_parentheses_cost_nothing() -> None:
    assert parse("(" * 1000 + "a" + ")" * 1000).text == "a"


def test_faults_of_several_units_come_together() -> None:
    with pytest.raises(SpecErrors) as caught:
        parse("a < 1 mins and b < 2 secs")
    assert [each.code for each in caught.value.diagnostics] == ["P224", "P224"]


def test_keywords_are_whole_words() -> None:
    tree = parse("inner and notes or android").tree
    assert ast.reads(tree) == ("inner", "notes", "android")
