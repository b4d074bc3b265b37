"""The canonical text of a tree gives the tree again, with no more parentheses than it needs."""

import pytest
from hypothesis import given, settings

from spec_lang.expr import ast
from spec_lang.expr.parse import parse
from spec_lang.expr.unparse import unparse
from tests.spec_lang.expr.strategies import trees


@settings(max_examples=300)
@given(trees)
def test_law_parse_of_unparse_is_the_tree(tree: ast.Node) -> None:
    expression = parse(unparse(tree))
    assert expression.tree == tree
    assert expression.text == unparse(tree)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("a  and\n (b)", "a and b"),
        ("(a and b) and c", "(a and b) and c"),
        ("a and (b or c)", "a and (b or c)"),
        ("(a or b and c)", "a or b and c"),
        ("a-(b-c)-d", "a - (b - c) - d"),
        ("(a*b)/c", "a * b / c"),
        ("a*(b+c)", "a * (b + c)"),
        ("-(a + b)", "-(a + b)"),
        ("not (a and b)", "not (a and b)"),
        ("not (a < b)", "not a < b"),
        ("(not a) == b", "(not a) == b"),
        ("x in (1)..(2+3)", "x in 1..2 + 3"),
        ("0.50 USD", "0.5 USD"),
        ("100", "100"),
        ('x matches "a\\\\d\\""', 'x matches "a\\\\d\\""'),
        ("[ ]", "[]"),
        ("f( a ,[1,2])", "f(a, [1, 2])"),
    ],
)
def test_canonical_text(text: str, canonical: str) -> None:
    assert parse(text).text == canonical
    assert parse(canonical).text == canonical
