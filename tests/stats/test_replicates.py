"""Replicates against computing every resample one by one, for any size of numbers."""

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stats.bootstrap import seeded_law
from stats.law import lattice
from stats.relative_change import mean, median
from stats.replicates import mean_replicates, median_replicates
from stats.stream import resample_indices

values = st.lists(
    st.integers(-9, 9).map(Fraction) | st.fractions(-1, 1, max_denominator=10**9) | st.just(Fraction(2) ** 90),
    min_size=1,
    max_size=9,
)


@given(
    values,
    st.integers(1, 30),
    st.integers(0, 9),
    st.sampled_from([(mean_replicates, mean), (median_replicates, median)]),
)
def test_equal_one_by_one(data, resamples, seed, kind):
    replicate, statistic = kind
    law = replicate(lattice(data, bits=4096), resample_indices(len(data), resamples=resamples, seed=seed))
    rows = [row for block in resample_indices(len(data), resamples=resamples, seed=seed) for row in block.tolist()]
    listed = Counter(statistic([data[index] for index in row]) for row in rows)
    weights = np.diff([0, *law.cumulative]).tolist()
    assert {value * law.unit: weight for value, weight in zip(law.values, weights, strict=True)} == listed
    assert law.estimate == statistic(data)


def test_ties_on_a_rounded_lattice_still_count():
    """A common denominator beyond 96 bits is rounded; what ties up to that rounding ties all the same."""
    data = [Fraction(1, 3), Fraction(1, 7), Fraction(2, 3), Fraction(6, 7)]
    nearly = [value + Fraction(1, 10**40 + k) for k, value in enumerate(data)]
    exact, rounded = (
        mean_replicates(lattice(some, bits=96), resample_indices(4, resamples=4000, seed=1)) for some in (data, nearly)
    )
    assert (exact.exact, rounded.exact) == (True, False)
    assert rounded.share_tied() == exact.share_tied()


@given(
    st.lists(st.sampled_from([Fraction(-1), Fraction(0), Fraction(1, 3)]), min_size=2, max_size=12),
    st.integers(1, 40),
    st.integers(0, 9),
)
def test_few_values_are_counted_to_the_same_law(data, resamples, seed):
    by_counting = seeded_law(data, "mean", resamples=resamples, seed=seed)
    ascending = sorted(data)
    drawn = mean_replicates(lattice(ascending, bits=512), resample_indices(len(data), resamples=resamples, seed=seed))
    assert (by_counting.values, by_counting.cumulative, by_counting.unit, by_counting.estimate) == (
        drawn.values,
        drawn.cumulative,
        drawn.unit,
        drawn.estimate,
    )
