"""Sample sizes: known values and laws."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.number import StatError
from stats.sample_size import detectable_wilcoxon, sample_size_wilcoxon


def test_sample_sizes_of_the_usual_spreads():
    for sigma, n in (("0.139", 6), ("0.25", 18), ("0.3", 26), ("0.5", 72)):
        for constants in ("rounded", "exact"):
            size = sample_size_wilcoxon(
                sigma=sigma, delta="0.15", alpha_one_sided="0.05", power="0.8", constants=constants
            )
            assert size.n == n


@given(st.fractions(Fraction(1, 10), 3, max_denominator=20), st.fractions(Fraction(1, 10), 3, max_denominator=20))
def test_sample_size_depends_on_the_ratio_and_not_on_the_direction(sigma, delta):
    def size(spread, effect):
        return sample_size_wilcoxon(sigma=spread, delta=effect, alpha_one_sided="0.05", power="0.8", constants="exact")

    assert size(sigma, delta) == size(sigma * 7, delta * 7) == size(sigma, -delta)
    assert size(2 * sigma, delta).n_raw == pytest.approx(4 * size(sigma, delta).n_raw)


def test_sample_size_refuses_unknown_constants():
    with pytest.raises(StatError):
        sample_size_wilcoxon(sigma=1, delta=1, alpha_one_sided="0.05", power="0.8", constants="guessed")


@given(st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50), st.fractions(0, 1))
def test_a_power_that_needs_no_data_has_no_sample_size(alpha, part):
    """The formula squares the sum of two quantiles, so alpha and power in each other's place would give the usual n."""
    power = alpha * part or alpha
    with pytest.raises(StatError, match="power must be above alpha"):
        sample_size_wilcoxon(sigma=1, delta=1, alpha_one_sided=alpha, power=power, constants="exact")
    with pytest.raises(StatError, match="power must be above alpha"):
        detectable_wilcoxon(sigma=1, n=9, alpha_one_sided=alpha, power=power)
