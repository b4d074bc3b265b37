"""The normal law against scipy's, deep into both tails."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from stats.normal import below, quantile
from stats.number import StatError


@given(st.floats(1e-300, 1 - 1e-12))
def test_quantile_is_scipys(share):
    assert quantile(share) == pytest.approx(ndtri(share), rel=1e-13, abs=1e-15)


@given(st.fractions(Fraction(1, 10**6), Fraction(10**6 - 1, 10**6)))
def test_opposite_shares_have_opposite_quantiles(share):
    assert quantile(share) == -quantile(1 - share)


@given(st.floats(-37, 8))
def test_share_below_is_scipys(z):
    assert below(z) == pytest.approx(ndtr(z), rel=1e-12)


def test_what_no_double_can_tell_is_refused():
    for share in (0.0, 1.0, Fraction(1, 10**400), 1 - Fraction(1, 10**400)):
        with pytest.raises(StatError):
            quantile(share)
