"""Clustered standard errors: where CR1 must equal the plain ones, and the t interval."""

from fractions import Fraction
from math import sqrt
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.clustered import clustered_interval, clustered_se

SCORES = st.lists(st.integers(0, 5).map(Fraction), min_size=2, max_size=12)


@given(SCORES)
def test_cr1_of_single_scores_is_the_plain_standard_error(values):
    result = clustered_se(values, range(len(values)))
    assert result.se_cr1 == pytest.approx(stdev(map(float, values)) / sqrt(len(values)), abs=1e-12)
    assert result.se_cr1 == pytest.approx(result.se_clt, abs=1e-12)


@given(st.lists(st.tuples(*[st.integers(0, 5).map(Fraction)] * 3), min_size=2, max_size=8))
def test_cr1_of_equal_seeds_is_the_standard_error_of_task_means(tasks):
    result = clustered_se(
        [score for task in tasks for score in task], [number for number, task in enumerate(tasks) for _ in task]
    )
    assert result.se_cr1 == pytest.approx(stdev(float(sum(task)) / 3 for task in tasks) / sqrt(len(tasks)), abs=1e-12)


def test_clustered_interval_uses_t_with_clusters_less_one():
    interval = clustered_interval([Fraction(k) for k in (1, 0, 1, 1)], ["a", "a", "b", "b"], level="0.95")
    se = clustered_se([Fraction(k) for k in (1, 0, 1, 1)], ["a", "a", "b", "b"]).se_cr1
    assert interval.hi - interval.mean == pytest.approx(12.706204736432095 * se)
    assert interval.mean - interval.lo == pytest.approx(interval.hi - interval.mean)
