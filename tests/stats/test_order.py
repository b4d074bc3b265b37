"""Fractions in order."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from stats.order import place

near = st.builds(lambda base, k: Fraction(base, 7) + Fraction(k, 10**30), st.integers(-3, 3), st.integers(-3, 3))
huge = st.integers(-(10**400), 10**400).map(Fraction)


@given(st.lists(near | huge | st.fractions()))
def test_the_order_is_that_of_the_fractions(values):
    assert sorted(values, key=place) == sorted(values)
