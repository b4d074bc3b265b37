"""Laws and their quantiles against numpy's two Hyndman-Fan rules, and lattices."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.law import lattice, law_of
from stats.number import StatError

sample = st.lists(st.integers(-20, 20), min_size=1, max_size=40)


@given(sample, st.integers(0, 64))
def test_quantiles_are_numpys(values, sixtyfourths):
    """At shares that a double holds exactly, both rules give numpy's quantiles."""
    law = law_of([(value, 1) for value in values], unit=Fraction(1), observed=0, exact=True)
    share = Fraction(sixtyfourths, 64)
    for rule in ("inverted_cdf", "linear"):
        assert float(law.quantile(share, rule)) == pytest.approx(
            np.quantile(values, float(share), method=rule), abs=1e-12
        )


@given(sample, st.integers(-20, 20))
def test_shares_count(values, observed):
    law = law_of([(value, 1) for value in values], unit=Fraction(1), observed=observed, exact=True)
    assert law.share_below() == Fraction(sum(value < observed for value in values), len(values))
    assert law.share_tied() == Fraction(values.count(observed), len(values))


@given(st.lists(st.fractions(-100, 100, max_denominator=60), min_size=1, max_size=8))
def test_lattice_is_exact_when_it_fits(values):
    grid = lattice(values, bits=512)
    assert grid.exact
    assert [point * grid.unit for point in grid.points] == values


@given(st.integers(-900, 900))
def test_rounding_keeps_to_the_size_of_the_values(power):
    """Seconds or years, dollars or their millionth: only the unit of the lattice changes."""
    values = [Fraction(1, 3**40), Fraction(1, 7**9), Fraction(-2, 3)]
    here, there = lattice(values, bits=32), lattice([each * Fraction(2) ** power for each in values], bits=32)
    assert not there.exact
    assert (there.points, there.unit) == (here.points, here.unit * Fraction(2) ** power)


def test_lattice_rounds_when_it_does_not():
    values = [Fraction(1, 3), Fraction(1, 7), Fraction(10**9)]
    grid = lattice(values, bits=32)
    assert not grid.exact
    for value, point in zip(values, grid.points, strict=True):
        assert abs(point * grid.unit - value) <= grid.unit / 2


def test_refuses_no_replicates_and_unknown_rules():
    with pytest.raises(StatError):
        law_of([], unit=Fraction(1), observed=0, exact=True)
    with pytest.raises(StatError):
        law_of([(1, 1)], unit=Fraction(1), observed=0, exact=True).quantile(Fraction(1, 2), "median_unbiased")
