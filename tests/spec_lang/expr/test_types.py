"""Types: names, derived units, what adds up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec_lang import catalog
from spec_lang.expr.types import (
    DIMENSIONS,
    MONEY,
    NUMBER,
    POINTS,
    SHARE,
    TASK,
    TIME,
    NumberType,
    comparable,
    describe,
    named,
    product,
    total,
    unit_name,
)

numbers = st.sampled_from(list(DIMENSIONS.values()))


@given(numbers, numbers)
def test_law_dividing_undoes_multiplying(one: NumberType, other: NumberType) -> None:
    assert product(product(one, other, "*"), other, "/").units == one.units


@given(numbers, numbers)
def test_law_what_adds_up_can_be_compared_or_is_share_and_points(one: NumberType, other: NumberType) -> None:
    adds = total(one, other, "+") is not None
    assert adds == (
        comparable(one, other) or ({one.flavour, other.flavour} == {"share", "points"} and one.units == other.units)
    )


def test_shares_and_points() -> None:
    assert total(SHARE, SHARE, "-") == POINTS
    assert total(SHARE, SHARE, "+") == SHARE
    assert total(SHARE, POINTS, "-") == SHARE
    assert total(POINTS, SHARE, "+") == SHARE
    assert total(POINTS, SHARE, "-") is None
    assert total(POINTS, NUMBER, "+") is None
    assert product(POINTS, NUMBER, "*") == POINTS
    assert product(POINTS, POINTS, "/") == NUMBER
    assert product(SHARE, MONEY, "*") == MONEY


@pytest.mark.parametrize(
    ("kind", "name"),
    [(product(MONEY, TASK, "/"), "USD/task"), (product(TIME, TIME, "*"), "s^2"), (product(NUMBER, TIME, "/"), "1/s"),
     (POINTS, "pp"), (named("bool"), "bool")],
)  # fmt: skip
def test_unit_names(kind: NumberType, name: str) -> None:
    assert unit_name(kind) == name


def test_every_fact_of_the_catalogue_has_a_type() -> None:
    tables = [catalog.TRIAL_FACTS, *catalog.SOURCE_FACTS.values(), *catalog.CHECK_FACTS.values()]
    for table in tables:
        for name, (kind, doc) in table.items():
            assert describe(named(kind)), name
            assert doc
