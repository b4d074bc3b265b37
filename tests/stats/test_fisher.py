"""Fisher's exact test against scipy, and its laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact as reference

from stats.fisher import fisher_exact
from stats.number import StatError

counts = st.integers(0, 60)


@given(counts, counts, counts, counts)
def test_agrees_with_scipy(a, b, c, d):
    expected = float(reference(np.array([[a, b], [c, d]])).pvalue) if a + b + c + d else 1.0
    assert fisher_exact(a, b, c, d) == pytest.approx(expected, rel=1e-9)


@given(counts, counts, counts, counts)
def test_arms_and_hits_may_change_places(a, b, c, d):
    assert fisher_exact(a, b, c, d) == fisher_exact(c, d, a, b) == fisher_exact(b, a, d, c) <= 1


def test_equally_likely_tables_are_as_odd_as_each_other():
    assert fisher_exact(3, 1, 1, 3) == 34 / 70


def test_tens_of_thousands_of_trials():
    assert fisher_exact(0, 30_000, 0, 30_000) == 1.0
    assert fisher_exact(0, 30_000, 9, 29_991) == pytest.approx(2 * 0.5**9, rel=1e-3)


@pytest.mark.parametrize("bad", [-1, 1.5, None])
def test_refuses_what_is_no_count(bad):
    with pytest.raises(StatError):
        fisher_exact(bad, 1, 1, 1)
