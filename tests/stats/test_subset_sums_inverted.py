"""Inverted shares against counting, where counting is still possible: ties, tails, sizes that almost share a divisor."""

from fractions import Fraction
from itertools import groupby, pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stats.subset_sums import PRECISION, counts_up_to, share_up_to
from stats.subset_sums_double import counts
from stats.subset_sums_inverted import inverted_share


def midranks(values):
    """Twice the midranks of some values."""
    found, before = [], 0
    for _, tied in groupby(sorted(values)):
        times = len(list(tied))
        found += [2 * before + times + 1] * times
        before += times
    return found


def summed(sizes, bound):
    """The share by the recurrence in doubles, relative error below 1e-12."""
    mantissas, exponent = counts(sizes, bound)
    return Fraction(float(mantissas.sum())) * Fraction(2) ** (exponent - len(sizes))


def apart(one, other):
    return abs(float(one / other - 1))


SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=60)


@settings(deadline=None, max_examples=60)
@given(SIZES, st.floats(0, 0.5))
def test_equals_counting_in_integers(sizes, part):
    bound = int(sum(sizes) * part)
    assume(bound > 0)
    found = inverted_share(sizes, bound, precision=PRECISION)
    assert found is not None
    assert apart(found, Fraction(sum(counts_up_to(sizes, bound)), 2 ** len(sizes))) < 1e-11


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 300), st.lists(st.integers(1, 9), max_size=3), st.floats(0.05, 0.5))
def test_sizes_that_almost_share_a_divisor(times, odd, part):
    """All sizes but a few are multiples of 12, so that the characteristic function has more than one peak."""
    sizes = [*([12, 24] * times), *odd]
    bound = int(sum(sizes) * part)
    assume(bound > 0)
    found = inverted_share(sizes, bound, precision=PRECISION)
    assert found is not None
    assert apart(found, summed(sizes, bound)) < 1e-11


@pytest.mark.parametrize("levels", [2, 3, 10, 200, 10**9])
@pytest.mark.parametrize("part", [0.5, 0.47, 0.3, 0.05])
def test_ranks_of_a_thousand_tasks_with_ties(levels, part):
    sizes = midranks([place * place * 7919 % 1_000_003 % levels for place in range(1000)])
    bound = int(sum(sizes) * part)
    found = inverted_share(sizes, bound, precision=PRECISION)
    assert found is not None
    assert apart(found, summed(sizes, bound)) < 5e-12


def test_the_share_grows_with_the_bound():
    """Also by the single subsets that one step of the bound lets in: the error is far smaller than such a step."""
    sizes = range(1, 4001)
    bounds = range(3_900_000, 3_900_005)
    shares = [share_up_to(sizes, bound) for bound in bounds]
    assert {each.method for each in shares} == {"characteristic-function"}
    assert all(one.value < other.value for one, other in pairwise(shares))


def test_both_tails_of_ten_thousand_tasks_make_one():
    sizes, half = range(1, 10_001), 10_000 * 10_001 // 4
    below, above = share_up_to(sizes, half - 400_000).value, share_up_to(sizes, half + 400_000 - 1).value
    assert float(below + (1 - above)) == pytest.approx(2 * float(below), rel=1e-9)
    assert 0.05 < float(below) < 0.1


def test_what_cannot_be_proved_is_not_given():
    assert inverted_share(range(1, 1001), 200_000, precision=1e-14) is None


def test_frequencies_without_number_are_not_summed(monkeypatch):
    """So few and so large sizes leave hardly a frequency out; the recurrence must do."""
    monkeypatch.setattr("stats.subset_sums_inverted._MOST", 1 << 20)
    assert inverted_share([10**9 + 7**place for place in range(11)], 5 * 10**9, precision=PRECISION) is None
