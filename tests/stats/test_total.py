"""Exact sums against adding one by one."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from stats.total import total, total_of_ratios

amounts = st.fractions(max_denominator=1000) | st.decimals(allow_nan=False, allow_infinity=False, places=6).map(
    Fraction
)


@given(st.lists(amounts, max_size=40))
def test_equals_adding_one_by_one(values):
    assert total(values) == sum(values, Fraction(0))


@given(st.lists(st.tuples(st.integers(), st.integers(1, 9)), max_size=40))
def test_ratios_need_not_be_in_lowest_terms(ratios):
    assert total_of_ratios(ratios) == sum((Fraction(*each) for each in ratios), Fraction(0))
