"""Student's quantile: the expansion against the library, on both sides of where one gives way to the other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from stats.student import MANY, student_quantile

SHARES = st.floats(0.5, 1 - 1e-9)


@given(SHARES, st.integers(1, 10**8))
def test_it_is_what_the_library_gives(share: float, freedom: int) -> None:
    assert student_quantile(share, freedom) == pytest.approx(float(stdtrit(freedom, share)), rel=1e-13, abs=1e-15)


@given(SHARES, st.integers(MANY, 10**8))
def test_it_is_symmetric_about_zero(share: float, freedom: int) -> None:
    assert student_quantile(1 - share, freedom) == pytest.approx(-student_quantile(share, freedom), rel=1e-6, abs=1e-12)


@given(SHARES)
def test_nothing_jumps_where_the_expansion_begins(share: float) -> None:
    before, after = student_quantile(share, MANY - 1), student_quantile(share, MANY)
    assert after == pytest.approx(before, rel=1e-3)
    assert after <= before
