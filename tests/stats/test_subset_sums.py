"""Counting subsets by integers and by doubles, against listing them."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.subset_sums import counts_up_to, share_up_to
from stats.subset_sums_double import counts

sizes = st.lists(st.integers(1, 12), max_size=9)


def sums(some):
    return [sum(chosen) for k in range(len(some) + 1) for chosen in combinations(some, k)]


@given(sizes, st.integers(-2, 120))
def test_share_equals_listing(some, bound):
    share = share_up_to(some, bound)
    assert share.exact
    assert share.value == Fraction(sum(one <= bound for one in sums(some)), 2 ** len(some))


@given(sizes, st.integers(0, 60))
def test_counts_equal_listing(some, bound):
    expected = [sums(some).count(total) for total in range(bound + 1)]
    assert counts_up_to(some, bound) == expected
    mantissas, exponent = counts(some, bound)
    assert exponent == 0
    assert mantissas.tolist() == expected


def test_scaled_doubles_far_beyond_their_range():
    """2^1500 subsets overflow a double; mantissa and exponent do not."""
    mantissas, exponent = counts([1] * 1500, 750)
    exact = share_up_to([1] * 1500, 750).value
    assert float(Fraction(float(mantissas.sum())) * Fraction(2) ** (exponent - 1500) / exact) == pytest.approx(
        1, rel=1e-12
    )
