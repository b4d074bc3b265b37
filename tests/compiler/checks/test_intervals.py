"""Ranges of values never deny what can happen."""

from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.checks.intervals import ANY, Bounds, bounds_of, can_be, narrowed, point
from spec_lang.expr.evaluate import evaluate
from spec_lang.expr.parse import parse
from spec_lang.expr.values import UNKNOWN

NAMES = ("a.p", "a.lower", "b.n")

numbers = st.integers(-6, 6).map(str) | st.sampled_from(["0.5", "0.05", "1.5"])


def signed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


terms = st.recursive(
    st.sampled_from(NAMES) | numbers.map(signed),
    lambda inner: (
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda each: f"({each[0]} {each[1]} {each[2]})")
        | inner.map(lambda each: f"abs({each})")
        | st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda each: f"{each[0]}({each[1]}, {each[2]})")
    ),
    max_leaves=4,
)
comparisons = st.tuples(terms, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), terms).map(" ".join) | terms.map(
    lambda term: f"{term} in 0..2"
)
conditions = st.recursive(
    comparisons,
    lambda inner: (
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda each: f"({each[0]} {each[1]} {each[2]})")
        | inner.map(lambda each: f"(not {each})")
    ),
    max_leaves=4,
)
fractions = st.fractions(-5, 5, max_denominator=8)


@st.composite
def boxes(draw: st.DrawFn) -> tuple[dict[str, Bounds], dict[str, Fraction]]:
    """A world of ranges, some without an end, and one value inside each."""
    world, inside = {}, {}
    for name in NAMES:
        low, here, high = sorted(draw(st.tuples(fractions, fractions, fractions)))
        world[name] = Bounds(low=draw(st.sampled_from([low, None])), high=draw(st.sampled_from([high, None])))
        inside[name] = here
    return world, inside


@given(conditions, boxes())
def test_what_happens_was_never_denied(text: str, box: tuple[Mapping[str, Bounds], Mapping[str, Fraction]]) -> None:
    world, inside = box
    tree = parse(text).tree
    truth = evaluate(tree, inside)
    can = can_be(tree, world)
    if truth is not UNKNOWN:
        assert can.true if truth else can.false


@given(conditions, boxes())
def test_narrowing_keeps_every_value_for_which_the_condition_holds(
    text: str, box: tuple[Mapping[str, Bounds], Mapping[str, Fraction]]
) -> None:
    world, inside = box
    tree = parse(text).tree
    if evaluate(tree, inside) is True:
        for name, bounds in narrowed(tree, world).items():
            assert not point(inside[name]).met(bounds).empty


@given(terms, boxes())
def test_a_value_lies_in_its_range(text: str, box: tuple[Mapping[str, Bounds], Mapping[str, Fraction]]) -> None:
    world, inside = box
    tree = parse(text).tree
    value = evaluate(tree, inside)
    if isinstance(value, Fraction):
        assert not point(value).met(bounds_of(tree, world)).empty


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        ("a.p < 0.05", False, True),
        ("a.p <= 0.0625", True, True),
        ("a.p >= 0.0625", True, False),
        ("not a.p < 0.05", True, False),
        ("a.p < 0.05 or a.p > 0.5", True, True),
        ("a.p < 0.05 and a.p > 0.5", False, True),
        ("a.p in 0..0.01", False, True),
        ("b.n == 4", True, False),
        ("b.n + 1 == 5", True, False),
        ("a.lower < 0", True, True),
    ],
)
def test_by_hand(text: str, true: bool, false: bool) -> None:
    world = {"a.p": Bounds(low=Fraction(1, 16), high=Fraction(1)), "b.n": point(4), "a.lower": ANY}
    can = can_be(parse(text).tree, world)
    assert (can.true, can.false) == (true, false)
