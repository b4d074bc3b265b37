"""The ideal bootstrap laws: against listing all resamples, and doubles against integers."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.ideal import mean_law, median_law
from stats.relative_change import mean, median

values = st.lists(st.integers(-6, 6).map(lambda k: Fraction(k, 2)), min_size=1, max_size=5)
SOME = [Fraction((k * 7919) % 1009, 8) for k in range(160)]


def as_table(law):
    weights = [law.cumulative[0], *(b - a for a, b in zip(law.cumulative, law.cumulative[1:], strict=False))]
    return {
        value * law.unit: Fraction(weight, law.total)
        for value, weight in zip(law.values, weights, strict=True)
        if weight
    }


@settings(max_examples=40)
@given(values, st.sampled_from([(mean_law, mean), (median_law, median)]))
def test_equals_listing_all_resamples(data, kind):
    law_of_statistic, statistic = kind
    listed = Counter(statistic(resample) for resample in product(data, repeat=len(data)))
    law = law_of_statistic(data)
    assert law.exact
    assert as_table(law) == {value: Fraction(times, len(data) ** len(data)) for value, times in listed.items()}
    assert law.estimate == statistic(data)


def close(one, other):
    return all(
        float(one.quantile(Fraction(k, 1000), "inverted_cdf"))
        == pytest.approx(float(other.quantile(Fraction(k, 1000), "inverted_cdf")))
        for k in range(1, 1000, 3)
    )


@pytest.mark.parametrize("n", [120, 121, 160])
def test_median_in_doubles_agrees_with_integers(n, monkeypatch):
    counted = median_law(SOME[:n])
    monkeypatch.setattr("stats.ideal._INTEGER_TASKS", 1)
    summed = median_law(SOME[:n])
    assert (counted.exact, summed.exact) == (True, False)
    assert float(summed.share_below()) == pytest.approx(float(counted.share_below()), rel=1e-11)
    assert float(summed.share_tied()) == pytest.approx(float(counted.share_tied()), rel=1e-9)
    assert close(counted, summed)


def test_mean_by_fourier_transform_agrees_with_integers(monkeypatch):
    data = [Fraction(k % 3 - 1) for k in range(0, 160, 2)]
    counted = mean_law(data)
    monkeypatch.setattr("stats.ideal._INTEGER_BITS", 1)
    transformed = mean_law(data)
    assert (counted.exact, transformed.exact) == (True, False)
    assert float(transformed.share_below()) == pytest.approx(float(counted.share_below()), rel=1e-12)
    assert close(counted, transformed)


def test_ten_thousand_tasks_and_any_size_of_numbers():
    law = median_law([Fraction(3) ** (k % 90) for k in range(10_000)])
    assert law.quantile(Fraction(1, 2), "inverted_cdf") == law.estimate == 3**44


def test_no_ideal_law_of_a_mean_without_a_coarse_unit():
    assert mean_law([Fraction(1, 10**4), Fraction(1), Fraction(1000)]) is None
