"""Drift is Spearman's rank correlation with the order, ties and all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from stats.calculator import calculate
from stats.drift import drift
from stats.number import StatError


@given(st.lists(st.integers(0, 9), min_size=3, max_size=40).filter(lambda found: len(set(found)) > 1))
def test_it_is_that_of_scipy(found: list[int]) -> None:
    assert drift(found) == pytest.approx(float(spearmanr(range(len(found)), found).statistic), abs=1e-12)
    assert drift(found[::-1]) == pytest.approx(-drift(found), abs=1e-12)
    assert drift([each * 3 + 1 for each in found]) == drift(found)
    assert calculate("drift", {"x": found}) == {"rho": drift(found)}


@pytest.mark.parametrize("found", [[], [1, 2], [3, 3, 3]])
def test_nothing_that_varies_has_no_drift(found: list[int]) -> None:
    with pytest.raises(StatError):
        drift(found)
    assert "no drift of" in calculate("drift", {"x": found})["reason"]
